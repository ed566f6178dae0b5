// A buyer built on the official JavaScript SDK. It resolves the card below the
// URL given, sends each payload read from stdin (a JSON array) and prints what
// came back as a JSON array of {payload} or {error}.
import { ClientFactory } from '@a2a-js/sdk/client';
import { readFileSync } from 'node:fs';

const client = await new ClientFactory().createFromUrl(process.argv[2]);
const answers = [];
for (const [n, value] of JSON.parse(readFileSync(0, 'utf8')).entries()) {
  try {
    const result = await client.sendMessage({
      message: { messageId: `js-${n}`, role: 1, parts: [{ content: { $case: 'data', value }, mediaType: 'application/json' }] },
    });
    const message = result.payload?.value ?? result.message ?? result;
    answers.push({ payload: message.parts[0].content.value, contextId: message.contextId });
  } catch (error) {
    answers.push({ error: { name: error.name, message: error.message, code: error.code ?? error.errorCode, data: error.data ?? error.details } });
  }
}
console.log(JSON.stringify(answers));
