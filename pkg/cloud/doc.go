// Package cloud is everything AWS: settings, API Gateway events, DynamoDB,
// SQS, S3 and the log. Its stores fulfil the contracts of packages inventory
// and lead; functions/ puts them together.
//
// Both tables have a text partition key "pk" and a text sort key "sk", and
// time to live on "expires" (whole seconds). Every pk begins with the dealer id
// and "#", which no dealer id contains, so that a policy on leading keys can
// bind a role to one dealer. All reads are strongly consistent. Expired items
// linger for days before DynamoDB deletes them; readers therefore compare times
// themselves.
//
// # Many dealers
//
// One stack can serve any number of dealers. Functions then may reach no table:
// they take on a role with the dealer's id as a session tag, whose policy compares
// the tag with the leading key. Whose work it is comes with the context
// (ForDealer), is settled once, from the address of a call, the attribute of a
// message or the folder of a file, and never from what a payload says. A store
// that is asked for another dealer's items by mistake is refused by DynamoDB.
//
// # Inventory table
//
//	pk                        sk      holds
//	<dealer>#head             head    the head, and how many blocks and shards its snapshot has
//	<dealer>#snapshots        <n>     every snapshot that may exist, for the sweep after later imports
//	<dealer>#log              <t>…    what an import published anew, from time t on
//	<dealer>#snap#<n>#b<i>    block   vehicles in key order, packed and compressed
//	<dealer>#snap#<n>#d       delta   units that differ from the blocks of an earlier snapshot
//	<dealer>#snap#<n>#s<i>    shard   hashes of identifiers, each with the block that holds the unit
//
// An import writes a snapshot of its own under a number nobody else uses, then
// flips the head on condition that it still is the one the import was planned
// on. So readers see the old lot or the new one and never a mix, an import
// that loses the race leaves nothing visible, and an import of an unchanged
// feed writes the head only. Where few units change, by hand or by an import,
// the blocks stay: the change writes a delta, all units that differ from the
// blocks, and the head names both. Like a snapshot it is an item of its own that
// never changes, written before the flip, so a reader of the head has one
// generation. A delta is at most 16 KB; beyond that, or when units are
// forgotten, the next change folds it into a new snapshot. The log of publications is written before the
// flip, so that nothing shown is missing in it; readers leave out what belongs
// to a flip that did not come to pass. Vehicles are not kept as one item each: a write
// before the flip would show, a write after it could be missed. A snapshot of
// 10,000 vehicles is some 20 blocks, 1 MB, about 1,000 write units; marking one of
// them sold writes 4 to 20. A cold reader fetches the head and then all blocks and the
// delta at once and keeps the blocks, compressed, so that after a change of few units it
// reads head and delta only; finding one unit reads the head, the delta, one shard and one block. Replaced snapshots are deleted by a later import, an hour after they
// were written at the earliest, so that readers under way can finish.
//
// The design holds up to about 100,000 vehicles a dealer: 10 MB and 200 blocks
// a snapshot. Beyond that, blocks should be shared between snapshots.
//
// # Leads table
//
//	pk                           sk                    holds
//	<dealer>#lead#<lead id>      record                the lead, packed and compressed
//	<dealer>#lead#<lead id>      delivery#<target>     how far one target has come
//	<dealer>#lead#<lead id>      event#<time>#<id>     what was done about the lead later
//	<dealer>#key#<sha-256>       key                   an idempotency key
//	<dealer>#equal#<digest>      equal                 a duplicate key and the lead it stands for
//	<dealer>#received            <time>#<lead id>      leads by time, for lists
//	<dealer>#lead#<lead id>      visit                 the lead's booked visit
//	<dealer>#slots#<rooftop>#<type>  <start>#<end>     who takes the slot; the rooftop is hashed
//	<dealer>#agenda              <start>#<lead id>     visits by time, for lists
//	<dealer>#outbox              <lead id>             leads not yet known to be queued
//	<dealer>#audit               <time>#<id>           the account of erasures, exports and the like
//	<dealer>#erase               <lead id>             erasures under way
//	<dealer>#places              place<n>              of many dealers: a hand-over under way, until its time
//	<dealer>#allowance           <kind>#<window>       of many dealers: calls a minute and leads an hour, counted over all instances
//
// A lead is one transaction on conditions of stored items: repeating it after
// an answer was lost finds its own items and succeeds. Whatever else is written
// about a lead is written on condition that its record is there, so that an
// erased lead cannot come back.
package cloud
