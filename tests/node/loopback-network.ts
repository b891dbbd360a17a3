/**
 * A network of the test's own between a client and a server on this machine, which can be cut, made
 * slow, and mended. What goes through it are bytes; it knows nothing of what they say.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Milliseconds between two bytes on a slow network. */
const BYTE_MS = 1;

export interface LoopbackNetwork {
  /** Where the server is found through it, such as `http://127.0.0.1:4711`. */
  readonly origin: string;
  /** Bytes of the server's that came through it. */
  readonly passed: number;
  /** Every connection breaks, and from now on each new one as soon as it is made. */
  cut(): void;
  /** What the server sends comes byte by byte. */
  slow(): void;
  /** As at the start; what was held comes at once. */
  mend(): void;
  close(): Promise<void>;
}

/** `target`: the address of a server by HTTP, of which the host and the port count. */
export async function loopbackNetwork(target: string): Promise<LoopbackNetwork> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const state = { way: 'open' as 'open' | 'slow' | 'cut', passed: 0 };

  /** Hands on what the server sent, and takes no more from it before that. */
  const pass = (from: Socket, to: Socket, bytes: Buffer): void => {
    if (to.destroyed) return;
    const slow = state.way === 'slow' && bytes.length > 1;
    const now = slow ? bytes.subarray(0, 1) : bytes;
    state.passed += now.length;
    const next = slow
      ? () => setTimeout(() => pass(from, to, bytes.subarray(1)), BYTE_MS)
      : () => from.resume();
    to.write(now, () => void next());
  };

  const server = createServer((client) => {
    if (state.way === 'cut') {
      client.on('error', () => undefined);
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      upstream.pause();
      pass(upstream, client, bytes);
    });
    upstream.on('end', () => client.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens nowhere');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin: `http://127.0.0.1:${String(address.port)}`,
    get passed() {
      return state.passed;
    },
    cut: () => {
      state.way = 'cut';
      breakAll();
    },
    slow: () => {
      state.way = 'slow';
    },
    mend: () => {
      state.way = 'open';
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
