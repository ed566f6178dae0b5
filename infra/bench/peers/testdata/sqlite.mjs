// A dealer agent as one would build it today: the official JavaScript SDK on
// node:http, and SQLite. It takes a file of vehicles, one JSON object a line as
// they are shown to buyers, the schema of search requests, and the number of
// processes; it prints its address and serves inventory.search until it is ended.
//
// Tuned: the database in memory, with covering indexes for what is asked, analysed;
// one prepared statement for each form of query; listings parsed once; the
// schema compiled once (the SDK itself checks no payload).
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { Ajv2020 } from 'ajv/dist/2020.js';
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

const [, , vehiclesFile, schemaFile, processes] = process.argv;
if (cluster.isPrimary) start();
else work();

function start() {
  let missing = Number(processes);
  for (let n = missing; n > 0; n--) cluster.fork();
  cluster.on('listening', (_, { port }) => {
    if (--missing === 0) console.log(`http://127.0.0.1:${port}/rpc`);
  });
  cluster.on('exit', () => process.exit(1));
  process.stdin.on('end', () => process.exit(0)).resume(); // ends with whoever started it
}

function work() {
  const search = openLot();
  const valid = new Ajv2020().compile(JSON.parse(readFileSync(schemaFile, 'utf8')));
  const card = {
    name: 'A dealer', description: 'Sells cars.', version: '1.0.0',
    supportedInterfaces: [{ url: 'http://127.0.0.1/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0', tenant: '' }],
    capabilities: { streaming: false, pushNotifications: false, extensions: [] },
    defaultInputModes: ['application/json'], defaultOutputModes: ['application/json'],
    skills: [{ id: 'inventory.search', name: 'Search', description: 'Finds cars.', tags: ['inventory'] }],
  };
  const executor = {
    async execute(context, bus) {
      const request = context.userMessage.parts[0]?.content?.value;
      if (!valid(request)) throw new Error('the request does not fit its schema');
      bus.publish(AgentEvent.message({
        messageId: crypto.randomUUID(), contextId: context.contextId, taskId: '', role: 2, extensions: [], referenceTaskIds: [], metadata: undefined,
        parts: [{
          content: { $case: 'data', value: { type: 'inventory.search.response', data: search(request) } },
          mediaType: 'application/json', filename: '', metadata: undefined,
        }],
      }));
      bus.finished();
    },
    async cancelTask() {},
  };
  const handler = new JsonRpcTransportHandler(new DefaultRequestHandler(card, new InMemoryTaskStore(), executor));
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    let answer;
    try {
      answer = await handler.handle(Buffer.concat(chunks).toString(), new ServerCallContext({ requestedVersion: request.headers['a2a-version'] }));
    } catch (error) {
      answer = { jsonrpc: '2.0', id: null, error: JsonRpcTransportHandler.mapToJSONRPCError(error) };
    }
    const body = Buffer.from(JSON.stringify(answer));
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
}

// openLot fills a database and returns the search on it.
function openLot() {
  const texts = ['make', 'model', 'condition', 'body', 'fuel', 'driveline'];
  const numbers = ['year', 'price', 'mileage'];
  const db = new DatabaseSync(':memory:');
  db.exec(`CREATE TABLE vehicle (id INTEGER PRIMARY KEY, key TEXT, ${texts.map(c => `${c} TEXT COLLATE NOCASE`)}, ${numbers.map(c => `${c} INTEGER`)})`);
  const columns = ['id', 'key', ...texts, ...numbers];
  const insert = db.prepare(`INSERT INTO vehicle (${columns}) VALUES (${columns.map(() => '?')})`);
  const listings = readFileSync(vehiclesFile, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
  db.exec('BEGIN');
  listings.forEach((v, id) => insert.run(id, v.vin, ...[...texts, ...numbers].map(c => v[c] ?? null)));
  db.exec('COMMIT');
  for (const by of ['make, condition, price, key', 'make, model, price, key', 'make, year, key', 'condition, year, price, mileage, key', 'mileage, key, condition, year, price']) db.exec(`CREATE INDEX "${by}" ON vehicle (${by})`);
  db.exec('ANALYZE');

  const statements = new Map();
  const prepared = sql => {
    if (!statements.has(sql)) statements.set(sql, db.prepare(sql));
    return statements.get(sql);
  };
  return ({ filters = {}, sort, pagination = {} }) => {
    const terms = [], values = [];
    for (const [name, wanted] of Object.entries(filters)) {
      const [, column, bound] = /^(\w+)_(min|max)$/.exec(name) ?? [];
      if (numbers.includes(column)) {
        terms.push(`${column} ${bound === 'min' ? '>=' : '<='} ?`);
        values.push(wanted);
      } else if (texts.includes(name)) {
        terms.push(`${name} IN (${wanted.map(() => '?')})`);
        values.push(...wanted);
      } else throw new Error(`no filter ${name}`);
    }
    const where = terms.length ? `WHERE ${terms.join(' AND ')}` : '';
    const { skip = 0, limit = 20 } = pagination;
    const order = `${sort.field} ${sort.order === 'desc' ? 'DESC' : 'ASC'} NULLS LAST, key`;
    const { total } = prepared(`SELECT count(*) AS total FROM vehicle ${where}`).get(...values);
    const rows = prepared(`SELECT id FROM vehicle ${where} ORDER BY ${order} LIMIT ? OFFSET ?`).all(...values, limit, skip);
    return { total, skip, limit, vehicles: rows.map(row => listings[row.id]) };
  };
}
