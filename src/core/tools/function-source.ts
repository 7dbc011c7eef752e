import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import { createHttpAgent, HttpSizeError, HttpTimeoutError, openHttp } from '../../lib/http-client.ts';
import { findPermission } from './find-permission.ts';
import { guessActivity, guessSubject } from './guess-activity.ts';
import { type Tool, ToolError } from './tool.ts';
import type { ToolSource } from './tool-source.ts';
import type { FunctionEndpointConfig } from './tools-config.ts';

/** Far more than a model is given; a larger response is an error. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** The timeout of the tool call is shorter. */
const LONGEST_MS = 600_000;
const MAX_ERROR_CHARACTERS = 300;

/**
 * Creates a source with one function behind a URL: the model's arguments are posted there as JSON, and the response
 * body is the result.
 */
export function createFunctionSource(deps: { readonly clock: Clock }, config: FunctionEndpointConfig): ToolSource {
  const dispatcher = createHttpAgent({ connectMs: CONNECT_MS });
  const tool: Tool = {
    name: config.name,
    description: config.description,
    parameters: config.parameters,
    activity: guessActivity(config.name),
    describeCall: guessSubject,
    source: config.name,
    permission: findPermission(config.ask, config.name, 'after-foreign-text'),
    hasForeignResults: true,
    run: (parameters, { signal }) =>
      post({ clock: deps.clock, dispatcher }, config, JSON.stringify(parameters), signal),
  };
  return {
    name: config.name,
    list: () => [tool],
    lastError: undefined,
    start: async () => {},
    close: async () => dispatcher.destroy(),
  };
}

async function post(
  deps: { readonly clock: Clock; readonly dispatcher: Dispatcher },
  { url, headers }: FunctionEndpointConfig,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const http = await openHttp(deps, {
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain;q=0.9', ...headers },
      body,
      timeouts: { connectMs: CONNECT_MS, startMs: LONGEST_MS, idleMs: LONGEST_MS, totalMs: LONGEST_MS },
      signal,
    });
    try {
      const text = (await http.readAll(MAX_ANSWER_BYTES)).toString('utf8');
      if (http.status >= 200 && http.status < 300) return text;
      throw new ToolError(`it answered with status ${http.status}: ${text.slice(0, MAX_ERROR_CHARACTERS)}`);
    } finally {
      http.close();
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof HttpSizeError) throw new ToolError('its answer is too large', { cause: error });
    if (error instanceof HttpTimeoutError) throw new ToolError('it took too long', { cause: error });
    if (error instanceof ToolError) throw error;
    throw new ToolError('it could not be reached', { cause: error });
  }
}
