import { type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';
import { closeInTime, type ExportParams, SERVICE, toExporterOptions, toHrTime, watchOutages } from './otlp.ts';

export interface MetricExportParams extends ExportParams {
  /** Registry of the metrics, which is read at each export. */
  readonly registry: Registry;
  readonly intervalMs: number;
}

type PrometheusMetric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];
type PrometheusValue = PrometheusMetric['values'][number] & { readonly metricName?: string };

/** Starts to export all metrics of a registry, under the names and with the values of `/metrics`. */
export function startMetricExport({ collector, resource, onTurn, registry, intervalMs }: MetricExportParams) {
  const exporter = watchOutages(new OTLPMetricExporter(toExporterOptions(collector)), 'metrics', onTurn);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: intervalMs,
    metricProducers: [createProducer(registry)],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return {
    /** Exports the metrics once more, for 3 s at most. */
    close: () => closeInTime(() => provider.shutdown()),
  };
}

function createProducer(registry: Registry): MetricProducer {
  const startTime = toHrTime(performance.timeOrigin);
  return {
    async collect() {
      const metrics = await registry.getMetricsAsJSON();
      const times = { startTime, endTime: toHrTime(Date.now()) };
      const scope = { scope: { name: SERVICE }, metrics: metrics.map((metric) => toMetricData(metric, times)) };
      // The reader replaces the resource by its own.
      return { resourceMetrics: { resource: emptyResource(), scopeMetrics: [scope] }, errors: [] };
    },
  };
}

interface Times {
  /** Start of the process, where counters were 0. */
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function toMetricData({ name, help, type, values }: PrometheusMetric, times: Times): MetricData {
  const metric = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // A type of the library that is a constant enumeration, which does not exist when the program runs.
  const kind = String(type);
  if (kind === 'histogram')
    return { ...metric, dataPointType: DataPointType.HISTOGRAM, dataPoints: toHistograms(values, times) };
  const dataPoints = values
    .filter(({ value }) => !Number.isNaN(value))
    .map(({ value, labels }) => ({ ...times, attributes: labels, value }));
  return kind === 'counter'
    ? { ...metric, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
    : { ...metric, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Converts series of cumulative buckets, each followed by its sum and its count. */
function toHistograms(values: readonly PrometheusValue[], times: Times): DataPoint<Histogram>[] {
  const points: DataPoint<Histogram>[] = [];
  let buckets: PrometheusValue[] = [];
  let sum = 0;
  for (const value of values) {
    if (value.metricName?.endsWith('_bucket')) buckets.push(value);
    else if (value.metricName?.endsWith('_sum')) sum = value.value;
    else {
      points.push({
        ...times,
        attributes: value.labels,
        value: { sum, count: value.value, buckets: toBuckets(buckets) },
      });
      buckets = [];
    }
  }
  return points;
}

/** Returns the bounds without the infinite one, and how many values are between them. */
function toBuckets(buckets: readonly PrometheusValue[]): Histogram['buckets'] {
  return {
    boundaries: buckets.slice(0, -1).map(({ labels }) => Number(labels['le'])),
    counts: buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0)),
  };
}
