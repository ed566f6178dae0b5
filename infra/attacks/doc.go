// Package attacks is the attack review: one test for each thing that an
// attacker tries, through the front doors of the real process and the real
// functions. What is shown elsewhere already is named here, so that the review
// can be read in one place.
//
// # Who is let in
//
//   - Without a good token nothing is told, at any door, under any contract, on
//     one machine and through the functions; the published files stay open and
//     hold no token, hash or name: TestAStrangerIsRefusedCleanlyAtEveryDoor,
//     TestTheFunctionsKnowAStrangerACallerInDisguiseAndAForgedLine. Both official
//     A2A clients read the card of a closed agent, call with the token, and get a
//     clean 401 without: pkg/a2a peer_test.go, infra/peers
//     TestOfficialJavaScriptClientMeetsAccessRules.
//   - Trying tokens meets the limit of the address and costs no holder theirs:
//     TestWhoTriesTokensMeetsTheLimitOfTheirAddressAndCostsNoHolderTheirs.
//   - The time of an answer tells nothing of any row:
//     TestTokensAreComparedWithoutShortcuts, TestTheTimeOfARefusalTellsNothing.
//   - A token leaves for the host it is for and no other, also after a redirect:
//     infra/dealer/doctor TestTokenStaysAtItsHost, infra/dealer
//     TestNothingLeaksBetweenDealers and TestCardsThatLeadAwayAreNotFollowed. It is
//     in no entry of a host's configuration: infra/dealer
//     TestAnAIHostFindsItsTokenInAFileThatTheEntryNames.
//   - One dealer's data is not another's: pkg/lead
//     TestDealersDoNotShareKeysOrDuplicates; the roles of the stack: infra/stack
//     TestRolesMayDoWhatTheCodeCallsAndNothingElse. Where one stack serves many,
//     neither inventory, leads, files, addresses nor roles lead from one to
//     another: infra/sam TestManyDealersShareAStackAndNothingElse, infra/stack
//     TestManyDealersKeepEveryRule and TestWhatLetsADealerReachAnothersDataIsFound,
//     functions TestEachDealerOfManyHasItsFilesUnderItsOwnHost and
//     TestAFormOfOneDealerIsNoneOfAnothers.
//
// # Paths
//
//   - No path leads from the published files to others, on one machine:
//     TestNoPathLeadsOutOfThePublishedFiles; from S3 through the template's mapping
//     and role: infra/stack TestNothingButPublishedFilesLeavesTheBucket.
//   - No name in an archive is a path: pkg/feed
//     TestPackedFilesOfEveryFormatGiveWhatTheFilesGive.
//
// # Who calls
//
//   - No header makes another caller of one: TestNoHeaderMakesAnotherCallerOfOne,
//     and behind CloudFront, whose secret cannot be guessed in parts, nor the
//     addresses of one IPv6 network:
//     TestTheFunctionsKnowAStrangerACallerInDisguiseAndAForgedLine, pkg/cloud
//     TestOnlyTheCDNIsBelievedWhoTheCallerIs, infra/stack
//     TestTheBuyersAddressIsCloudFrontsWordAndNotTheBuyers.
//   - Behind a web server, buyers are told apart by what that adds and nothing
//     they write: TestABuyerBehindAProxyUsesUpNobodyElsesCalls, pkg/agent/caller
//     TestOnlyAProxyIsBelievedWhoAskedItAndOnlyForWhatItAdded.
//   - No web page reaches the tools under a name of its own: pkg/mcptools
//     TestOnlyKnownNamesAreServed.
//
// # Floods
//
//   - Slow headers, drips and bodies that never come are cut off, and hold up
//     nobody: TestSlowAndEndlessRequestsAreCutOff, infra/dealer/machine
//     TestCallersWhoSendSlowlyHoldUpNobody and
//     TestCallersWhoDoNotReadTheirAnswersHoldUpNobody.
//   - Lengths that lie are refused, and nothing behind them is run:
//     TestRequestsThatLieAboutTheirLengthAreRefusedAndNothingBehindThemIsRun;
//     pkg/a2a TestOneByteTooManyIsRefusedUnread.
//   - JSON of any depth, width, length and spelling costs little:
//     TestNoBodyCostsTheAgentMoreThanItsLength,
//     TestABatchIsAnsweredAtNoGreatLength, pkg/a2a
//     TestHostileBodiesAreAnsweredQuickly, FuzzHandler, pkg/mcptools FuzzArguments.
//   - Nor does XML, in feeds or leads, which reads nothing elsewhere:
//     TestNoXMLFeedGrowsBeyondItsLengthOrReadsWhatIsElsewhere,
//     TestNoADFDocumentGrowsBeyondItsLengthOrReadsWhatIsElsewhere.
//   - Nor do archives: TestNoArchiveUnpacksToMoreThanAFeedMayHave, pkg/feed
//     TestAZipBombIsRefusedInLittleMemoryAndLeavesNoFile; nor text without end:
//     pkg/feed TestHostileFilesEndInAReportOrARefusal.
//   - Nor does a profile: pkg/dealer TestADocumentOfAnyShapeEndsInFaults.
//
// # Words
//
//   - Nothing a caller writes forges a line of the log or steers a terminal, in
//     any member, header or path: TestNothingACallerWritesForgesALineOfTheLog,
//     TestTheFunctionsKnowAStrangerACallerInDisguiseAndAForgedLine, infra/dealer
//     TestAConsoleLineHoldsNothingThatMovesTheCursorOrHides. No personal data is in
//     it: pkg/a2a TestNoPersonalDataReachesTheLog, pkg/cloud
//     TestAWholeLeadInTheLogTellsNothingPersonal.
//   - No lead puts a formula into an export or an element into a document:
//     TestNoLeadPutsAFormulaIntoAnExportOrAnElementIntoADocument, pkg/adf
//     TestAnyLeadReadsBackEqual; or a header into a mail or a request: pkg/crm
//     TestMailSubjectCannotBeInjected and TestPostHeadersCannotBeInjected.
//   - No feed steers a terminal, a spreadsheet or a browser by its report:
//     TestNoFeedSteersATerminalAFormulaOrAModel, infra/dealer
//     TestTheReportIsAlsoAPageThatAFeedCannotChange; or the page that hosts show:
//     infra/peers TestSearchResultsInAHostOfMCPApps.
//   - No word of a feed stands where models are told what to do:
//     TestNoWordOfAFeedStandsWhereModelsAreTold; nor of another dealer's card:
//     infra/dealer TestACardsWordsReachNoModel and TestACardsWordsAreInNoPrompt.
//
// # Addresses
//
//   - No address that a buyer sends is gone to: TestNoAddressThatABuyerSendsIsGoneTo.
//   - Nor one in a feed, unless pages are asked for, and then public ones only:
//     TestNoAddressInAFeedIsGoneToUnlessPagesAreAskedForAndThenPublicOnesOnly,
//     TestAPageOfTheDealersOwnSiteCanNeitherLeadAwayNorGrowWithoutEnd.
//   - Exports are fetched from public addresses, with their secrets for those
//     alone: pkg/pickup TestOnlyPublicAddressesAreFetchedFrom and
//     TestASecretGoesToTheSourceAlone.
//   - A card, a redirect or a name bound anew leads no command into a private
//     network: infra/dealer TestOnlyTheNamedHostMayLieInAPrivateNetwork,
//     infra/dealer/doctor TestAnAgentOutsideLeadsNobodyInside.
package attacks
