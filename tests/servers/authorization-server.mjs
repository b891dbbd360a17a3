// A real authorization server (oidc-provider) and an MCP server that only takes its tokens, for tests.
//
// Prints `READY {"issuer", "server", "control"}`. The MCP server has the tools `read` (scope
// `mcp:read`) and `write` (scope `mcp:write`, asked for by a step-up), and asks the authorization
// server about each token. `POST control` with JSON sets what is to go another way:
// `{ "seconds": life of an access token, "registers": whether clients may register }` and gives what
// was seen: how many tokens were given, clients registered, tokens revoked.
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import Provider from 'oidc-provider';

/** An address of this machine; the first argument, where a test needs another one. */
const host = process.argv[2] ?? '127.0.0.1';
const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, host, () => resolve(`http://${host}:${server.address().port}`));
  });

/** What a test may change, and what it may read. */
const now = { seconds: 3600, registers: true };
const seen = { tokens: 0, renewed: 0, registered: 0, revoked: 0, documents: 0 };

const authorization = createServer();
const issuer = await listen(authorization);
const resource = createServer();
const origin = await listen(resource);
const server = `${origin}/mcp`;

/** The client id metadata document that stands at an address of the user's. */
const documentAddress = 'https://client.example/gbs-agent.json';
const clientDocument = {
  client_id: documentAddress,
  client_name: 'GBS Agent',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  application_type: 'native',
  token_endpoint_auth_method: 'none',
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'resource',
      client_secret: 'resource-secret',
      redirect_uris: [],
      response_types: [],
      grant_types: [],
    },
    {
      client_id: 'by-hand',
      client_secret: 'by-hand-secret',
      application_type: 'native',
      redirect_uris: ['http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  scopes: ['openid', 'offline_access'],
  async fetch(url) {
    seen.documents += 1;
    return String(url) === documentAddress
      ? Response.json(clientDocument)
      : new Response(null, { status: 404 });
  },
  features: {
    registration: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => server,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, indicator) => {
        if (indicator !== server) throw new Error('unknown resource');
        return {
          scope: 'mcp:read mcp:write',
          audience: server,
          accessTokenFormat: 'opaque',
          accessTokenTTL: now.seconds,
        };
      },
    },
  },
  ttl: { Interaction: 600, Session: 600, Grant: 3600, RefreshToken: 3600 },
});
provider.on('grant.success', ({ oidc }) => {
  seen.tokens += 1;
  if (oidc.params.grant_type === 'refresh_token') seen.renewed += 1;
});
provider.on('registration_create.success', () => (seen.registered += 1));
provider.on('access_token.destroyed', () => (seen.revoked += 1));
provider.on('refresh_token.destroyed', () => (seen.revoked += 1));
provider.on('grant.revoked', () => (seen.revoked += 1));
const answer = provider.callback();
authorization.on('request', (request, response) => {
  if (!now.registers && request.url.startsWith('/reg')) {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end('{"error":"access_denied","error_description":"not here"}');
    return;
  }
  answer(request, response);
});

/** The token's facts, as the authorization server tells them; null for one that is not good here. */
async function facts(header) {
  const [scheme, token] = (header ?? '').split(' ');
  if (scheme !== 'Bearer' || !token) return null;
  const response = await fetch(`${issuer}/token/introspection`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa('resource:resource-secret')}` },
    body: new URLSearchParams({ token }),
  });
  const found = await response.json();
  return found.active && found.aud === server ? found : null;
}

const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;

function refuse(response, status, error, scope) {
  const named = `Bearer error="${error}", scope="${scope}", resource_metadata="${metadata}"`;
  response.writeHead(status, { 'www-authenticate': named, 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

resource.on('request', async (request, response) => {
  if (request.url === '/control') {
    Object.assign(now, JSON.parse((await text(request)) || '{}'));
    response.end(JSON.stringify(seen));
    return;
  }
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        resource: server,
        authorization_servers: [issuer],
        scopes_supported: ['mcp:read'],
      }),
    );
    return;
  }
  if (request.url !== '/mcp') {
    response.writeHead(404).end();
    return;
  }
  const token = await facts(request.headers.authorization);
  if (token === null) return refuse(response, 401, 'invalid_token', 'mcp:read');
  const body = request.method === 'POST' ? JSON.parse(await text(request)) : undefined;
  const writes = body?.method === 'tools/call' && body.params.name === 'write';
  if (writes && !token.scope.split(' ').includes('mcp:write')) {
    return refuse(response, 403, 'insufficient_scope', 'mcp:write');
  }
  const mcp = new McpServer({ name: 'guarded', version: '1.0.0' });
  const say = (words) => () => ({ content: [{ type: 'text', text: words }] });
  mcp.registerTool('read', { description: 'Reads.' }, say(`read as ${token.client_id}`));
  mcp.registerTool('write', { description: 'Writes.' }, say('written'));
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  response.on('close', () => void mcp.close());
  await mcp.connect(transport);
  await transport.handleRequest(request, response, body);
});

async function text(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

process.stdin.on('end', () => process.exit(0)).resume();
console.log(`READY ${JSON.stringify({ issuer, server, control: `${origin}/control` })}`);
