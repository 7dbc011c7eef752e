import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { JsonLimits } from '../../../lib/json/find-json-excess.ts';
import { readJsonOrProblem } from '../../../lib/json/read-json.ts';

interface StdioTransportParams {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Maximum size of a message. */
  readonly maxBytes: number;
  readonly limits: JsonLimits;
  /** Checks a message. @throws its problems. */
  readonly parse: (value: unknown) => JSONRPCMessage;
}

/** A program that does not end by itself gets SIGTERM after this time, and SIGKILL after twice of it. */
const END_TIMEOUT_MS = 2000;
const LINE_FEED = 0x0a;

/**
 * Speaks with a server that is a program, one message in a line. The transport of the library parses whatever a program
 * prints, at once: 8 MiB of `{}` hold the thread for a second. This one ends the program if a message exceeds the limits.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** This and `pid` tell the library that the server is a program, which may not know what newer clients ask first. */
  readonly stderr = null;
  readonly #params: StdioTransportParams;
  #program: ChildProcessByStdio<Writable, Readable, null> | undefined;

  constructor(params: StdioTransportParams) {
    this.#params = params;
  }

  get pid(): number | undefined {
    return this.#program?.pid;
  }

  /** @throws if the program can't be started. */
  async start(): Promise<void> {
    const { command, args, env } = this.#params;
    // Errors are ignored, because they may contain what users have asked.
    const program = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
    program.stdin.on('error', (error) => this.onerror?.(error));
    program.once('close', () => {
      this.#program = undefined;
      this.onclose?.();
    });
    await once(program, 'spawn');
    program.on('error', (error) => this.onerror?.(error));
    this.#program = program;
    void this.#read(program.stdout);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#program) throw new Error('Not connected');
    const { stdin } = this.#program;
    if (!stdin.write(`${JSON.stringify(message)}\n`)) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]);
  }

  async close(): Promise<void> {
    const program = this.#program;
    this.#program = undefined;
    if (!program) return;
    const closed = once(program, 'close');
    program.stdin.end();
    // Ends the reading too.
    program.stdout.destroy();
    const timers = (['SIGTERM', 'SIGKILL'] as const).map((signal, index) =>
      setTimeout(() => program.kill(signal), END_TIMEOUT_MS * (index + 1)),
    );
    await closed;
    for (const timer of timers) clearTimeout(timer);
  }

  async #read(output: Readable): Promise<void> {
    try {
      for await (const line of readLines(output, this.#params.maxBytes)) {
        await this.#readMessage(line);
        await yieldToEventLoop();
      }
    } catch (error) {
      if (!this.#program) return;
      this.onerror?.(toError(error));
      await this.close();
    }
  }

  /** Lines that are no JSON are ignored: some programs print what they do. */
  async #readMessage(line: Buffer): Promise<void> {
    const read = await readJsonOrProblem(line, this.#params.limits);
    if (!this.#program) return;
    if ('value' in read) {
      try {
        this.onmessage?.(this.#params.parse(read.value));
      } catch (error) {
        this.onerror?.(toError(error));
      }
    } else if (read.problem !== 'invalid') throw new Error(`the answer is too large: ${read.problem}`);
  }
}

/** @throws for a line that is too large. */
async function* readLines(output: Readable, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const bytes of output as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...parts, bytes.subarray(start, end)]);
      [parts, size, start] = [[], 0, end + 1];
    }
    parts.push(bytes.subarray(start));
    size += bytes.length - start;
    if (size > maxBytes) throw new Error(`the answer is larger than ${maxBytes} bytes`);
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
