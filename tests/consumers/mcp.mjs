// SPDX-License-Identifier: MIT
// Asks hotpath as clients that nobody here wrote do, by the public SDKs of both eras of the protocol.
//
// usage: mcp.mjs legacy|modern|auto HOTPATH
//        mcp.mjs legacy|modern|auto URL TOKEN
// It prints the tools, and what they say of the newest program: by hotpath mcp, or the server at URL.
// The clients check every result against the schema of its tool.

const [era, hotpath, token] = process.argv.slice(2);

// Where the classes of an SDK are.
const sdk = era === 'legacy' ? {
	client: '@modelcontextprotocol/sdk/client/index.js',
	stdio: '@modelcontextprotocol/sdk/client/stdio.js',
	http: '@modelcontextprotocol/sdk/client/streamableHttp.js',
} : {
	client: '@modelcontextprotocol/client',
	stdio: '@modelcontextprotocol/client/stdio',
	http: '@modelcontextprotocol/client',
};

async function transport() {
	if (!token) {
		const { StdioClientTransport } = await import(sdk.stdio);
		return new StdioClientTransport({ command: hotpath, args: ['mcp'], env: process.env });
	}
	const { StreamableHTTPClientTransport } = await import(sdk.http);
	const headers = { Authorization: `Bearer ${token}` };
	return new StreamableHTTPClientTransport(new URL(hotpath), { requestInit: { headers } });
}

async function connect() {
	const { Client } = await import(sdk.client);
	const mode = era === 'modern' ? { pin: '2026-07-28' } : 'auto';
	const client = new Client({ name: 'test', version: '1' }, era === 'legacy' ? {} : { versionNegotiation: { mode } });
	await client.connect(await transport());
	return client;
}

const client = await connect();
const { tools } = await client.listTools();
console.log('server', client.getServerVersion().name);
if (era !== 'legacy')
	console.log('revision', client.getNegotiatedProtocolVersion());
console.log('tools', tools.map((tool) => tool.name).join(' '));
const called = async (tool, args) => {
	const result = await client.callTool({ name: tool, arguments: args });
	if (result.isError)
		throw new Error(`${tool}: ${result.content[0].text}`);
	if (JSON.stringify(JSON.parse(result.content[0].text)) !== JSON.stringify(result.structuredContent))
		throw new Error(`${tool}: the text is not the structured content`);
	return result.structuredContent;
};
for (const tool of ['overview', 'top', 'locks', 'waits', 'io', 'channels', 'threads', 'processes'])
	await called(tool, {});
console.log('program', (await called('overview', {})).program);
const name = (await called('top', { metric: 'cpu', limit: 1 })).functions_cpu[0].name;
console.log('busiest', name);
console.log('function', (await called('function', { name })).name);
for (const tool of ['callers', 'callees', 'lines'])
	await called(tool, { name });
const wrong = await client.callTool({ name: 'function', arguments: { name: 'mian' } });
console.log('wrong', wrong.isError, wrong.content[0].text);
try {
	await client.callTool({ name: 'none', arguments: {} });
} catch (error) {
	console.log('unknown', error.code);
}
await client.close();
