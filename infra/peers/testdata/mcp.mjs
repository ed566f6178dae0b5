// An MCP host built on an official TypeScript client. It reads {sdk, url, mode,
// calls: [{tool, arguments}]} from stdin, lists the tools, makes the calls and
// prints {protocol, instructions, tools, answers: [{result} | {error}]}.
import { readFileSync } from 'node:fs';

const { sdk, url, mode, calls } = JSON.parse(readFileSync(0, 'utf8'));
const own = '@modelcontextprotocol/client';
const { Client } = await import(sdk === own ? own : `${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(sdk === own ? own : `${sdk}/client/streamableHttp.js`);

const options = mode === 'legacy' || mode === 'auto' ? { versionNegotiation: { mode } } : mode ? { versionNegotiation: { mode: { pin: mode } } } : {};
const client = new Client({ name: 'host', version: '1' }, options);
const transport = new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
const { tools } = await client.listTools();
const answers = [];
for (const call of calls) {
  try {
    answers.push({ result: await client.callTool({ name: call.tool, arguments: call.arguments }) });
  } catch (error) {
    answers.push({ error: { message: error.message, code: error.code } });
  }
}
const protocol = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
console.log(JSON.stringify({ protocol, instructions: client.getInstructions(), tools, answers }));
await client.close();
