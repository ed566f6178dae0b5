// An MCP host built on an official TypeScript client. It reads {sdk, url | command,
// mode, calls: [{tool, arguments, form}]} from stdin, lists the tools, makes the
// calls and prints {protocol, instructions, tools, answers: [{result, shown} | {error, shown}]}.
// The server is at the url, or is started as the command. A call with a form has
// its person answer so, and shown are the forms they were shown.
import { readFileSync } from 'node:fs';

const { sdk, url, command, mode, calls } = JSON.parse(readFileSync(0, 'utf8'));
const own = '@modelcontextprotocol/client';
const { Client } = await import(sdk === own ? own : `${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(sdk === own ? own : `${sdk}/client/streamableHttp.js`);
const { StdioClientTransport } = await import(sdk === own ? `${own}/stdio` : `${sdk}/client/stdio.js`);

const options = mode === 'legacy' || mode === 'auto' ? { versionNegotiation: { mode } } : mode ? { versionNegotiation: { mode: { pin: mode } } } : {};
let form;
let shown = [];
if (calls.some((call) => call.form)) options.capabilities = { elicitation: { form: {} } };
const client = new Client({ name: 'host', version: '1' }, options);
if (options.capabilities) {
  const method = sdk === own ? 'elicitation/create' : (await import(`${sdk}/types.js`)).ElicitRequestSchema;
  client.setRequestHandler(method, async (request) => {
    shown.push(request.params);
    return form;
  });
}
const transport = url ? new StreamableHTTPClientTransport(new URL(url)) : new StdioClientTransport({ command: command[0], args: command.slice(1) });
await client.connect(transport);
const { tools } = await client.listTools();
const answers = [];
for (const call of calls) {
  ({ form } = call);
  shown = [];
  try {
    answers.push({ result: await client.callTool({ name: call.tool, arguments: call.arguments }), shown });
  } catch (error) {
    answers.push({ error: { message: error.message, code: error.code }, shown });
  }
}
const protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
console.log(JSON.stringify({ protocol, instructions: client.getInstructions(), tools, answers }));
await client.close();
