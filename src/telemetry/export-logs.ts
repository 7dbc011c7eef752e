import { type AnyValue, type Attributes, SeverityNumber, type SpanContext } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json/json.ts';
import { closeInTime, type ExportParams, SERVICE, toExporterOptions, toHrTime, watchOutages } from './otlp.ts';

/** Exporter of the log to a collector. */
export type LogExport = ReturnType<typeof createLogExport>;

interface WaitingLine {
  readonly line: string;
  readonly span: SpanContext | undefined;
}

export interface LogExportParams extends ExportParams {
  /** Returns the current span, to which lines belong. */
  readonly readSpan: () => SpanContext | undefined;
}

const SEND_EVERY_MS = 1000;
const BATCH_TIMEOUT_MS = 15_000;
/** Maximum numbers of lines and characters waiting for export; more lines are dropped. */
const MAX_LINES = 8192;
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Maximum numbers of a batch: converting one takes milliseconds. */
const BATCH_LINES = 512;
const BATCH_CHARACTERS = 256 * 1024;

const SEVERITIES: Readonly<Record<string, readonly [SeverityNumber, string]>> = {
  10: [SeverityNumber.TRACE, 'trace'],
  20: [SeverityNumber.DEBUG, 'debug'],
  30: [SeverityNumber.INFO, 'info'],
  40: [SeverityNumber.WARN, 'warn'],
  50: [SeverityNumber.ERROR, 'error'],
  60: [SeverityNumber.FATAL, 'fatal'],
};

/**
 * Creates an exporter that sends finished lines of the log in batches in the background, one after the other. A line
 * costs its writer an entry of a list. Lines that the collector does not take are dropped and counted.
 */
export function createLogExport({ collector, resource, onTurn, readSpan }: LogExportParams) {
  const exporter = watchOutages(new OTLPLogExporter(toExporterOptions(collector)), 'logs', onTurn);
  const waiting: WaitingLine[] = [];
  let characters = 0;
  let droppedCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  const takeBatch = (): WaitingLine[] => {
    let [count, size] = [0, 0];
    for (const { line } of waiting) {
      if (count === BATCH_LINES || (count > 0 && size + line.length > BATCH_CHARACTERS)) break;
      count += 1;
      size += line.length;
    }
    characters -= size;
    return waiting.splice(0, count);
  };
  const send = (batch: readonly WaitingLine[]) =>
    new Promise<boolean>((resolve) => {
      const records = batch.flatMap((each) => toRecord(each, resource) ?? []);
      // The exporter's own timeout begins anew with each byte of an answer.
      const limit = setTimeout(resolve, BATCH_TIMEOUT_MS, false);
      exporter.export(records, ({ code }) => {
        clearTimeout(limit);
        resolve(code === 0);
      });
    });
  const sendAll = async () => {
    while (waiting.length > 0) {
      const batch = takeBatch();
      const isTaken = await send(batch).catch(() => false);
      if (!isTaken) droppedCount += batch.length;
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  };
  return {
    /** Adds a finished line. */
    add(line: string): void {
      if (waiting.length >= MAX_LINES || characters + line.length > MAX_CHARACTERS) {
        droppedCount += 1;
        return;
      }
      waiting.push({ line, span: readSpan() });
      characters += line.length;
      timer ??= setTimeout(flush, SEND_EVERY_MS).unref();
    },
    /** Returns the number of lines that were not exported. */
    countDropped: () => droppedCount,
    /** Exports the remaining lines, for 3 s at most. */
    close: () =>
      closeInTime(async () => {
        await flush();
        await exporter.shutdown();
      }),
  };
}

/** Converts a line of the log. */
function toRecord({ line, span }: WaitingLine, resource: Resource): ReadableLogRecord | undefined {
  const fields = parseJson(line);
  if (!isJsonObject(fields)) return undefined;
  const { level, time, msg, err, ...others } = fields;
  const [severityNumber, severityText] = SEVERITIES[String(level)] ?? [];
  const writtenAt = toHrTime(Date.parse(String(time)));
  return {
    hrTime: writtenAt,
    hrTimeObserved: writtenAt,
    severityNumber: severityNumber ?? SeverityNumber.UNSPECIFIED,
    severityText: severityText ?? '',
    body: String(msg ?? ''),
    attributes: { ...(others as Attributes), ...toErrorAttributes(err) },
    droppedAttributesCount: 0,
    resource,
    instrumentationScope: SCOPE,
    ...(span && { spanContext: span }),
  };
}

const SCOPE = { name: SERVICE };

/** Returns an error under the names of OpenTelemetry's conventions, with its other fields beside them. */
function toErrorAttributes(error: JsonObject[string]): Attributes {
  if (!isJsonObject(error)) return error === undefined ? {} : { err: error as AnyValue };
  const { type, message, stack, ...others } = error;
  return {
    'exception.type': type as AnyValue,
    'exception.message': message as AnyValue,
    'exception.stacktrace': stack as AnyValue,
    ...(Object.keys(others).length > 0 ? { err: others as AnyValue } : {}),
  };
}
