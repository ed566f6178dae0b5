// A buyer built on the official JavaScript SDK. It reads a JSON array of
// {base, card, token, extension, payload | method} from stdin, calls the agent below
// each base, and prints a JSON array of {payload, contextId} or {error}.
import { ClientFactory, ClientFactoryOptions, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { readFileSync } from 'node:fs';

const clients = new Map();

async function clientOf({ base, card, token }) {
  const key = `${base} ${card} ${token}`;
  if (!clients.has(key)) {
    const fetchImpl = (url, init = {}) => {
      const headers = new Headers(init.headers);
      if (token) headers.set('Authorization', `Bearer ${token}`);
      return fetch(url, { ...init, headers });
    };
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    clients.set(key, await new ClientFactory(options).createFromUrl(base, card));
  }
  return clients.get(key);
}

const answers = [];
for (const [n, call] of JSON.parse(readFileSync(0, 'utf8')).entries()) {
  try {
    const client = await clientOf(call);
    if (call.method) {
      answers.push({ payload: await client[call.method](call.payload) });
      continue;
    }
    const result = await client.sendMessage({
      message: {
        messageId: `js-${n}`, role: 1, contextId: `visit-${n}`,
        parts: [{ content: { $case: 'data', value: call.payload }, mediaType: 'application/json' }],
      },
    }, call.extension ? { serviceParameters: { 'A2A-Extensions': call.extension } } : undefined);
    const message = result.payload?.value ?? result.message ?? result;
    answers.push({ payload: message.parts[0].content.value, contextId: message.contextId });
  } catch (error) {
    answers.push({ error: { name: error.name, message: error.message, code: error.envelopeCode, data: error.data ?? null } });
  }
}
console.log(JSON.stringify(answers));
