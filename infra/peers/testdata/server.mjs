// A dealer agent that nobody here wrote: a server of the official JavaScript
// SDK with the AAP extension on its card, which answers dealer.information and
// fails at everything else. It prints its address and serves until it is ended.
import { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext, AgentEvent, validateVersion } from '@a2a-js/sdk/server';
import { createServer } from 'node:http';

const extension = process.argv[2];
const server = createServer(serve).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
let handler, card;

function setUp() {
  const url = `http://127.0.0.1:${server.address().port}`;
  card = {
    name: 'Another dealer', description: 'Says who it is.', version: '1.0.0',
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: false, pushNotifications: false, extensions: [{ uri: extension, params: { id: 'c-1', version: '1.3.0' } }] },
    defaultInputModes: ['application/json'], defaultOutputModes: ['application/json'],
    skills: [{ id: 'dealer.information', name: 'Information', description: 'Who the dealer is.', tags: ['dealer'] }],
  };
  const executor = {
    async execute(context, bus) {
      const asked = context.userMessage.parts[0]?.content?.value?.type;
      if (asked !== 'dealer.information.request') throw new Error(`no answer to ${asked}`);
      bus.publish(AgentEvent.message({
        messageId: crypto.randomUUID(), contextId: context.contextId, taskId: '', role: 2, extensions: [], referenceTaskIds: [], metadata: undefined,
        parts: [{
          content: { $case: 'data', value: { type: 'dealer.information.response', data: { name: 'Another dealer', rooftops: [{ name: 'Main' }] } } },
          mediaType: 'application/vnd.autoagent.dealer-information-response+json', filename: '', metadata: undefined,
        }],
      }));
      bus.finished();
    },
    async cancelTask() {},
  };
  handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
}

async function serve(request, response) {
  if (!handler) setUp();
  const send = (status, body, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (request.url === '/.well-known/agent-card.json') return send(200, card, { 'cache-control': 'max-age=60' });
  if (request.url !== '/rpc' || request.method !== 'POST') return send(404, {});
  let text = '';
  for await (const chunk of request) text += chunk;
  let id = null;
  try {
    id = JSON.parse(text).id ?? null;
  } catch { /* the handler says what is wrong with it */ }
  try {
    const context = new ServerCallContext({ requestedVersion: request.headers['a2a-version'] });
    validateVersion(context.requestedVersion, card, 'JSONRPC');
    let answer = await handler.handle(text, context);
    if (answer?.[Symbol.asyncIterator]) answer = (await answer.next()).value;
    send(200, answer);
  } catch (error) {
    send(200, { jsonrpc: '2.0', id, error: JsonRpcTransportHandler.mapToJSONRPCError(error) });
  }
}
