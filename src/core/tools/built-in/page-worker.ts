import { parentPort, workerData } from 'node:worker_threads';
import { pageToText } from './page-to-text.ts';

// One page for each worker: whoever waits for it may end it in the middle.
parentPort?.postMessage(workerData instanceof Uint8Array ? pageToText(workerData) : undefined);
