// Package feed turns a dealer's export file into vehicles and a quality
// report. It reads delimited text, JSON and XML, plain or in gzip or zip, as
// dealers really send them: any delimiter, charset and header spelling, quotes
// that are not closed, prices that are words.
//
// It promises three things. Nothing is dropped silently: every row that was
// read is accepted, merged or rejected with its line and a reason. Nothing is
// guessed: an amount, distance or date that can be read two ways is left out
// and counted. And what a dealer paid reaches nothing: columns about cost,
// invoice, wholesale and book values are never read at all.
//
// A fault costs one row: in delimited text always, in XML as long as the tags of
// the vehicle's own element tell where it ends, in JSON where each line is an
// object. Any other JSON, and an XML document whose outer elements do not close,
// are taken whole or not at all, since nobody can tell what is missing behind
// the fault. An XML document type declaration, and
// an archive of several data files, are refused.
//
// Reading is streamed; only the vehicles themselves are held. It is meant for
// files of up to half a million vehicles.
package feed
