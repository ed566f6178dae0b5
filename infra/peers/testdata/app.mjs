// A host of MCP Apps in a real browser: the official client calls the agent,
// the official bridge talks to the page, which runs in a sandboxed frame under
// the policy it declared. What the frame then shows is printed.
import http from 'node:http';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import puppeteer from 'puppeteer-core';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const input = JSON.parse(readFileSync(0, 'utf8'));
const here = dirname(fileURLToPath(import.meta.url));
const extension = 'io.modelcontextprotocol/ui';

async function connect(extensions, url = input.mcp) {
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { extensions }, versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}
const client = await connect({ [extension]: { mimeTypes: ['text/html;profile=mcp-app'] } });
const tool = (await client.listTools()).tools.find((t) => t.name === 'aap_inventory_search');
const page = (await client.readResource({ uri: tool._meta.ui.resourceUri })).contents[0];
const csp = page._meta.ui.csp;

// The policy that MCP Apps 2026-01-26 has hosts make of the declaration.
const places = (csp.resourceDomains || []).join(' ');
const policy = [
  "default-src 'none'", `script-src 'self' 'unsafe-inline' ${places}`, `style-src 'self' 'unsafe-inline' ${places}`, `connect-src 'self' ${(csp.connectDomains || []).join(' ')}`,
  `img-src 'self' data: ${places}`, `font-src 'self' ${places}`, `media-src 'self' data: ${places}`, "frame-src 'none'", "object-src 'none'", "base-uri 'self'",
].join('; ');

const bundle = await build({
  stdin: {
    resolveDir: here,
    contents: `
      import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
      window.play = async ({ context, openLinks, input, result, cancelled }) => {
        const frame = document.querySelector('iframe');
        const seen = { opened: [], errors: [], sizes: 0, app: null };
        const bridge = new AppBridge(null, { name: 'host', version: '1' }, openLinks ? { openLinks: {} } : {}, { hostContext: context });
        bridge.onopenlink = async ({ url }) => { seen.opened.push(url); return {}; };
        bridge.onsizechange = ({ height }) => { seen.sizes++; frame.style.height = height + 'px'; };
        bridge.onerror = (e) => seen.errors.push(String(e));
        const ready = new Promise((resolve) => { bridge.oninitialized = resolve; });
        await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
        frame.src = '/view';
        await ready;
        seen.app = bridge.getAppVersion();
        await bridge.sendToolInput({ arguments: input });
        if (cancelled) await bridge.sendToolCancelled({ reason: 'stopped' });
        else if (result) await bridge.sendToolResult(result);
        window.bridge = bridge;
        window.seen = seen;
      };`,
  },
  bundle: true, write: false, format: 'iife', logLevel: 'error',
});
const files = {
  '/host': ['text/html', '<!doctype html><style>body{margin:0}iframe{display:block;width:100%;border:0}</style><iframe sandbox="allow-scripts" title="app"></iframe><script src="/host.js"></script>'],
  '/host.js': ['text/javascript', bundle.outputFiles[0].text],
  '/view': [page.mimeType.split(';')[0], page.text, { 'Content-Security-Policy': policy }],
};
const server = http.createServer((req, res) => {
  const [type, body, more] = files[req.url] || ['text/plain', ''];
  res.writeHead(files[req.url] ? 200 : 404, { 'Content-Type': type + '; charset=utf-8', ...more });
  res.end(body);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const at = `http://127.0.0.1:${server.address().port}`;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

function look() {
  const text = (e) => (e ? e.textContent.trim() : '');
  const all = (e, what) => [...e.querySelectorAll(what)].map(text);
  return {
    heading: text(document.querySelector('h1')), range: text(document.querySelector('#range')), note: text(document.querySelector('#note')),
    state: document.querySelector('#state').hidden ? '' : document.querySelector('#state').innerText, fault: document.querySelector('#state').className.includes('fault'),
    cards: [...document.querySelectorAll('#cards > li')].map((li) => ({
      title: text(li.querySelector('h2')), price: text(li.querySelector('.price')), holds: all(li, '.holds'), fees: all(li, 'details tr'), facts: all(li, 'dl > *'),
      alt: li.querySelector('img')?.alt || '', loaded: (li.querySelector('img')?.naturalWidth || 0) > 0, blank: !!li.querySelector('.blank'), badges: all(li, 'figcaption span'),
      asOf: text(li.querySelector('footer span')), open: li.querySelector('button')?.getAttribute('aria-label') || '',
    })),
    scripts: document.scripts.length, pwned: window.pwned === true, elements: [...new Set([...document.body.querySelectorAll('*')].map((e) => e.localName))].sort(),
    overflows: document.documentElement.scrollWidth > document.documentElement.clientWidth, background: getComputedStyle(document.body).backgroundColor,
  };
}

const browser = await puppeteer.launch({ executablePath: input.chrome, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'] });
const views = [];
try {
  for (const c of input.cases) {
    let result;
    if (c.raw) result = c.raw;
    else if (!c.cancelled && !c.waiting) result = await client.callTool({ name: tool.name, arguments: c.arguments });
    const tab = await browser.newPage();
    const asked = [], said = [];
    tab.on('requestfinished', (r) => asked.push(r.url()));
    tab.on('console', (m) => said.push(m.text()));
    tab.on('dialog', (d) => { said.push('dialog ' + d.message()); d.dismiss(); });
    await tab.setViewport({ width: c.width, height: 900 });
    await tab.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: c.scheme || 'light' }]);
    await tab.goto(at + '/host');
    await tab.evaluate((p) => window.play(p), { context: c.context || {}, openLinks: !!c.openLinks, input: c.arguments || {}, result, cancelled: !!c.cancelled });
    const frame = tab.frames().find((f) => f.url() === at + '/view');
    const settled = () => frame.evaluate(() => Promise.all([...document.images].map((i) => i.complete || new Promise((done) => { i.addEventListener('load', done); i.addEventListener('error', done); }))));
    await frame.waitForFunction((waits) => waits || !document.querySelector('#state strong')?.textContent.startsWith('Searching') || document.querySelector('#state').hidden, { timeout: 5000 }, !!c.waiting);
    await settled();
    if (c.changed) {
      await tab.evaluate((changed) => window.bridge.setHostContext(changed), c.changed);
      await frame.waitForFunction((theme) => document.documentElement.dataset.theme === theme, { timeout: 5000 }, c.changed.theme);
    }
    if (c.press) {
      // By keyboard alone.
      await frame.evaluate(() => document.querySelector('button').focus());
      await tab.keyboard.press('Enter');
      await tab.waitForFunction(() => window.seen.opened.length > 0, { timeout: 5000 });
    }
    await frame.evaluate(() => document.querySelectorAll('details').forEach((d, i) => { d.open = i === 0; }));
    await new Promise((done) => setTimeout(done, 60)); // a frame or two, for the size to reach the host
    const view = await frame.evaluate(look);
    await frame.evaluate(axe);
    const audit = await frame.evaluate(async () => (await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice'] })).violations.map((v) => v.id + ': ' + v.nodes.map((n) => n.target.join(' ') + ' ' + n.failureSummary).join('; ')));
    const host = await tab.evaluate(() => ({ ...window.seen, height: document.querySelector('iframe').offsetHeight }));
    if (input.shots) await tab.screenshot({ path: join(input.shots, c.name + '.png'), fullPage: true });
    await tab.evaluate(() => window.bridge.teardownResource({}));
    await tab.close();
    views.push({ name: c.name, ...view, host, audit, asked: asked.filter((u) => !u.startsWith(at)), said, text: result?.content?.[0]?.text || '' });
  }
} finally {
  await browser.close();
  server.close();
}
const plain = await connect({});
const unseen = (await plain.listTools()).tools.find((t) => t.name === 'aap_inventory_search')._meta;
const resources = async (c) => (await c.listResources()).resources.map((r) => r.uri);
process.stdout.write(JSON.stringify({
  meta: tool._meta, page: { uri: page.uri, mimeType: page.mimeType, bytes: page.text.length, csp }, views, plain: { meta: unseen, resources: await resources(plain) },
  resources: await resources(client), extensions: client.getServerCapabilities().extensions || null,
}));
await client.close();
await plain.close();
