import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { Simulator } from './create-simulator.ts';

export interface ListeningSimulator {
  /** `http://127.0.0.1:<port>` without a trailing slash; replaces `https://api.telegram.org` in a bot's options. */
  readonly url: string;
  /** Closes the server and the simulator. */
  close(): Promise<void>;
}

/** Serves a simulator on a loopback port: the Bot API at `/`, the page at `/playground`. */
export async function listenSimulator(
  simulator: Simulator,
  options: { readonly port?: number } = {},
): Promise<ListeningSimulator> {
  const server = fastify({ forceCloseConnections: true });
  await server.register(simulator.botApi);
  await server.register(simulator.playground, { prefix: '/playground' });
  await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  const address = server.server.address();
  return {
    url: `http://127.0.0.1:${isAddressInfo(address) ? address.port : 0}`,
    async close() {
      simulator.close();
      await server.close();
    },
  };
}

function isAddressInfo(address: string | AddressInfo | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
