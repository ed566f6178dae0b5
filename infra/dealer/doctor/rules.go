package doctor

// rule is what one check is about: what should hold, who asks for it and what
// to do when it does not.
type rule struct {
	id, title string
	rule, url string
	next      string
}

// The pages that are cited.
const (
	aapDocs = "https://autoagentprotocol.org/docs/v1.3/"
	aapOld  = "https://autoagentprotocol.org/docs/v0.1/"
	a2aSpec = "https://a2a-protocol.org/v1.0.0/specification/"
	rpcSpec = "https://www.jsonrpc.org/specification"
	httpRFC = "https://www.rfc-editor.org/rfc/rfc9110"
	mcpSpec = "https://modelcontextprotocol.io/specification/"
)

// rules has one row a check, in the order of an examination.
var rules = [...]rule{
	{"reach.dns", "The host name resolves", "RFC 1034", "https://www.rfc-editor.org/rfc/rfc1034",
		"Check the spelling of the host and its A, AAAA or CNAME record."},
	{"reach.answer", "The host answers", "RFC 9110 §4.2", httpRFC + "#section-4.2",
		"Check that the agent runs, and that no firewall stands before its port."},
	{"reach.https", "The agent is reached over https", "A2A 1.0 §7.1", a2aSpec,
		"Put a certificate in front of the agent and publish https URLs."},
	{"reach.tls", "The certificate is trusted and of this name", "RFC 9110 §4.3.4", httpRFC + "#section-4.3.4",
		"Install a certificate of a public authority for this host, with its whole chain."},
	{"reach.tls-expiry", "The certificate is valid for three weeks more", "RFC 5280 §4.1.2.5", "https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5",
		"Renew the certificate, and let it renew itself."},

	{"card.found", "The agent card is at its well-known place", "A2A 1.0 §8.2; AAP v1.3 discovery", aapDocs + "discovery",
		"Serve the card with status 200 at /.well-known/agent-card.json of the host you give out."},
	{"card.redirect", "The card is served where it is asked for", "A2A 1.0 §8.2", a2aSpec,
		"Serve the card itself there: some clients follow no redirects, and tokens never leave the host that was given."},
	{"card.type", "The card is served as JSON", "A2A 1.0 §8.2; RFC 9110 §8.3", httpRFC + "#section-8.3",
		"Serve the card with Content-Type: application/json."},
	{"card.cache", "The card says how long it may be kept", "A2A 1.0 §8.6.1", a2aSpec,
		"Serve the card with Cache-Control: public, max-age=300 or so."},
	{"card.etag", "A card that has not changed is answered with 304", "A2A 1.0 §8.6.1; RFC 9110 §13.1.2", httpRFC + "#section-13.1.2",
		"Serve an ETag made of the content, and answer If-None-Match with it by 304."},
	{"card.head", "HEAD is answered like GET", "RFC 9110 §9.3.2", httpRFC + "#section-9.3.2",
		"Answer HEAD with the headers of GET and without a body."},
	{"card.cors", "Agents in browsers may read the card", "Fetch standard, CORS protocol", "https://fetch.spec.whatwg.org/#http-cors-protocol",
		"Serve the card with Access-Control-Allow-Origin: *."},
	{"card.json", "The card is unambiguous JSON", "RFC 8259 §4", "https://www.rfc-editor.org/rfc/rfc8259#section-4",
		"Write the card as one JSON object in UTF-8, each member once."},
	{"contract.spoken", "The card declares a version of AAP by its exact URI", "AAP v1.3 discovery", aapDocs + "discovery",
		"Add an entry to capabilities.extensions with the uri https://autoagentprotocol.org/extensions/aap/v1.3: without it buyers' agents take this for no dealer."},
	{"contract.endpoint", "The contract names an endpoint to call", "AAP v1.3 discovery; A2A 1.0 §4.4.6", aapDocs + "discovery",
		"List an interface in supportedInterfaces with an absolute https url, protocolBinding JSONRPC and protocolVersion 1.0, on the card's host."},
	{"card.shape", "The card fits the schema of its contract", "AAP agent-card schema", aapDocs + "discovery",
		"Mend the members named here."},
	{"card.modes", "The card names its media types", "A2A 1.0 §5.7", a2aSpec,
		"List application/json at least in defaultInputModes and defaultOutputModes."},
	{"card.skills", "The card lists AAP skills, each once", "AAP v1.3 discovery", aapDocs + "discovery",
		"List every skill that is answered once in skills; inventory.search and lead.submit are what buyers come for."},
	{"card.params", "The extension's params fit the contract", "AAP v1.3 discovery", aapDocs + "discovery",
		"Give params an id, the contract's full version and the schemas of exactly the skills listed."},
	{"card.host", "The endpoint is on the card's host", "AAP v1.3 discovery", aapDocs + "discovery",
		"Serve the endpoint on the card's host: buyers with a token call no other."},

	{"auth.declared", "The card says truly whether calls need credentials", "A2A 1.0 §7.4; AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Declare the scheme in securitySchemes exactly when calls without credentials are refused with 401."},
	{"auth.challenge", "A refusal for want of credentials names the scheme", "RFC 9110 §15.5.2", httpRFC + "#section-15.5.2",
		"Send WWW-Authenticate: Bearer with every 401."},
	{"auth.token", "Credentials are checked", "A2A 1.0 §7.4", a2aSpec,
		"Refuse tokens that you did not give out, and accept those you did."},

	{"skill.answer", "The skill answers", "AAP v1.3 JSON-RPC binding", aapDocs + "bindings/json-rpc",
		"Answer SendMessage with a message whose part holds the skill's response payload."},
	{"skill.schema", "The answer fits the schema of the contract", "AAP response schemas", "https://autoagentprotocol.org/v1.3/schemas/",
		"Mend the members named here: a buyer's agent that validates drops the whole answer."},
	{"skill.envelope", "The answer is a well-formed A2A message", "AAP v1.3 JSON-RPC binding; A2A 1.0 §4.1.4", aapDocs + "bindings/json-rpc",
		"Send result.message with a messageId of its own, ROLE_AGENT and a part with the skill's response media type."},
	{"skill.type", "Answers are served as JSON", "A2A 1.0 §9.1", a2aSpec,
		"Answer with Content-Type: application/json."},
	{"skill.id", "The answer repeats the request's id with its type", "JSON-RPC 2.0 §5", rpcSpec,
		"Copy the id of the request as it came: a number stays a number."},

	{"errors.parse", "Broken JSON is refused with -32700", "JSON-RPC 2.0 §5.1", rpcSpec,
		"Answer what is no JSON with the error -32700 and id null."},
	{"errors.request", "What is no JSON-RPC request is refused with -32600", "JSON-RPC 2.0 §5.1", rpcSpec,
		"Answer a request object without a method with the error -32600."},
	{"errors.method", "An unknown method is refused with -32601", "JSON-RPC 2.0 §5.1", rpcSpec,
		"Answer methods you do not have with the error -32601."},
	{"errors.undeclared", "Operations the card does not declare are refused", "A2A 1.0 §3.3.4", a2aSpec,
		"Answer SendStreamingMessage with -32004, or declare streaming and stream."},
	{"errors.typed", "Refusals of a skill carry an aap.error", "AAP v1.3 errors", aapDocs + "errors",
		"Put an aap.error object into error.data: buyers' agents act on its code alone."},
	{"errors.skill", "A skill that is not there is refused with UNSUPPORTED_SKILL", "AAP v1.3 errors", aapDocs + "errors",
		"Refuse types you do not answer with UNSUPPORTED_SKILL."},
	{"errors.validation", "A payload outside its schema is refused", "AAP v1.3 errors", aapDocs + "errors",
		"Validate requests against the schemas of the contract and refuse with SCHEMA_VALIDATION_FAILED."},
	{"errors.pointers", "A validation error points at every fault", "AAP v1.3 errors; AAP v1.0 errors", aapDocs + "errors",
		"List every fault in details.errors with instanceLocation, keyword and error (up to AAP v1.0: point at one in details.instancePath)."},
	{"errors.vehicle", "An unknown vehicle is refused with VEHICLE_NOT_FOUND", "AAP v1.3 inventory.vehicle", aapDocs + "skills/inventory-vehicle",
		"Refuse identifiers that match nothing with VEHICLE_NOT_FOUND."},
	{"errors.payload", "Each aap.error fits its schema", "AAP error schema", aapDocs + "errors",
		"Mend the members named here; nothing but the declared ones is allowed in an aap.error."},
	{"errors.bare", "Callers who activate AAP get one object in error.data", "AAP v1.3 errors", aapDocs + "errors",
		"Put the aap.error itself into error.data for callers who name the extension; arrays are for callers of plain A2A."},
	{"errors.plain", "Callers of plain A2A get typed objects in error.data", "A2A 1.0 §9.5", a2aSpec,
		"For callers who send A2A-Version and no AAP extension, make error.data an array that begins with a google.rpc.ErrorInfo."},
	{"errors.codes", "Errors have the JSON-RPC number of their code", "AAP v1.3 errors", aapDocs + "errors",
		"Use the number the table of codes recommends."},
	{"errors.status", "JSON-RPC errors come with HTTP status 200", "AAP v1.1 OpenAPI; A2A 1.0 §9.5", a2aSpec,
		"Answer with 200, errors included: many clients drop the body of anything else. Calls over quota may have 429, missing credentials 401."},

	{"headers.absent", "Calls without A2A headers are served", "AAP v1.3 JSON-RPC binding", aapDocs + "bindings/json-rpc",
		"Serve callers who send neither A2A-Version nor A2A-Extensions, as the examples of AAP v1.3 do."},
	{"headers.version", "Another A2A version is refused with -32009", "A2A 1.0 §3.6.2", a2aSpec,
		"Refuse an A2A-Version that you do not speak with -32009."},
	{"headers.extension", "Another AAP version is not silently served", "A2A 1.0 §4.6.3", a2aSpec,
		"Refuse calls that activate only versions of AAP this URL does not serve with -32008, and name the one it serves."},
	{"headers.echo", "The activated extension is confirmed", "A2A 1.0 §4.6.3", a2aSpec,
		"Repeat the extension's URI in the A2A-Extensions header of the answer."},
	{"http.method", "GET of the endpoint is refused with 405", "RFC 9110 §15.5.6", httpRFC + "#section-15.5.6",
		"Answer other methods than POST with 405 and Allow: POST."},
	{"http.media", "Bodies that are no JSON are refused by their media type", "RFC 9110 §15.5.16; A2A 1.0 §5.4", httpRFC + "#section-15.5.16",
		"Answer other media types with 415, or with the error -32005."},
	{"rest.answer", "The HTTP+JSON interface answers within the contract", "AAP v1.0 HTTP+JSON binding", "https://autoagentprotocol.org/docs/v1.0/bindings/rest",
		"Serve POST …/message:send as the binding describes, or take the interface off the card."},
	{"rest.errors", "Errors over HTTP+JSON have the status of their code", "AAP v1.0 HTTP+JSON binding", "https://autoagentprotocol.org/docs/v1.0/bindings/rest",
		"Answer VEHICLE_NOT_FOUND with 404 and an aap.error among error.details, and so on for each code."},

	{"consent.gate", "A lead without the buyer's consent is refused", "AAP v1.3 lead.submit; AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Refuse lead.submit without consent with CONTACT_CONSENT_REQUIRED before anything else, and keep nothing of it."},
	{"lead.test", "A test lead is taken", "AAP v1.3 lead.submit", aapDocs + "skills/lead-submit",
		"Take a valid lead with status received; tell the CRM to drop what is marked as a test."},
	{"lead.repeat", "A repeated lead is the same lead", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Answer the same idempotency_key and payload with the same lead_id, and make no second lead."},
	{"lead.conflict", "A key that is used again for another lead is refused", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Refuse a known idempotency_key with another payload with IDEMPOTENCY_CONFLICT."},

	{"inventory.facets", "Facets count what a search finds", "AAP v1.3 inventory.facets", aapDocs + "skills/inventory-facets",
		"Count each value over the same cars, and with the same matching, as inventory.search."},
	{"inventory.filter", "A filter only narrows", "AAP v1.3 inventory.search", aapDocs + "skills/inventory-search",
		"Combine filters with AND: no filter may add cars, and every car must fit it."},
	{"inventory.paging", "Pages add up to the whole", "AAP v1.3 inventory.search", aapDocs + "skills/inventory-search",
		"Sort by a unique key last, so that pages neither repeat nor lose cars, and count total over all pages."},
	{"inventory.sort", "Cars without a price come last", "AAP v1.3 inventory.search", aapDocs + "skills/inventory-search",
		"Sort by price with unpriced cars after all others, in both directions."},
	{"inventory.detail", "A vehicle's details agree with its listing", "AAP v1.3 inventory.vehicle", aapDocs + "skills/inventory-vehicle",
		"Answer inventory.vehicle from the same record as inventory.search."},
	{"inventory.hidden", "No car that is gone is listed", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"List only cars that are available, in transit or pending."},
	{"inventory.fresh", "Every car says when the dealer last vouched for it", "AAP v1.3 behavior-rules", aapDocs + "behavior-rules",
		"Send updated_at with the time of the dealer's own record, renewed every business day; never the time of the request."},
	{"inventory.price", "Prices include the fees that are named", "AAP v1.3 pricing-and-ftc", aapDocs + "pricing-and-ftc",
		"Publish price with every mandatory dealer charge inside, each fee once; leave price out where it is not known."},
	{"inventory.cost", "No purchase cost is published", "AAP v1.3 vehicle schema (open members are public)", aapDocs + "skills/inventory-vehicle",
		"Drop cost, invoice, wholesale and book columns before they reach the agent."},
	{"schemas.reach", "The schemas that the card names can be read", "AAP v1.3 discovery", aapDocs + "discovery",
		"Name schemas that are published for good; buyers without them cannot call."},

	{"manifest.found", "The contract manifest is served", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"Serve the manifest as JSON at the manifest_url of the card."},
	{"manifest.shape", "The contract manifest fits its schema", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"Mend the members named here."},
	{"manifest.auth", "Manifest and card agree on credentials", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"Set auth_type to bearer exactly when the card requires a token, else to null."},
	{"manifest.skills", "Manifest and card list the same skills", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"List in the manifest the skills that the card lists."},
	{"manifest.host", "The manifest's URLs are on the card's host", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"Serve endpoint and guide on the card's host."},
	{"manifest.guide", "The guide for language models can be read", "AAP v0.1 contract-manifest", aapOld + "contract-manifest",
		"Serve the guide at llm.guide_url, or leave the member out."},

	{"mcp.tools", "The MCP endpoint offers the card's skills as tools", "AAP v1.3 MCP; MCP 2025-06-18 tools", mcpSpec + "2025-06-18/server/tools",
		"Offer one tool a skill, named aap_ and the skill's id with underscores."},
	{"mcp.manifest", "The published tool manifest names the card's skills", "AAP v1.3 MCP", aapDocs + "compatibility/mcp",
		"Publish one tool a skill in mcp.json, by the name that tools/list gives it and with the schema of its arguments."},
	{"mcp.registry", "The entry for the MCP registry names this host", "MCP registry server.json", "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"Name the https address of the MCP endpoint on this host in remotes."},
	{"limits.answer", "A refusal for quota tells when to come back", "AAP v1.3 behavior-rules; RFC 9110 §10.2.3", aapDocs + "behavior-rules",
		"Refuse with RATE_LIMITED, retryable, with Retry-After and details.retry_after_ms."},
	{"speed.calls", "Calls are answered fast", "AAP sets no limit; buyers' agents give up after seconds", "",
		"Look at the agent's own time a call; keep the inventory in memory and functions warm."},
}

func ruleOf(id string) rule {
	for _, r := range rules {
		if r.id == id {
			return r
		}
	}
	return rule{id: id, title: id}
}
