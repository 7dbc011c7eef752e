import type { Operation } from './operation.ts';

/** The routes that tell about the service itself. */
export const SERVICE_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/',
    tag: 'Service',
    summary: 'What is here',
    credential: 'none',
    answers: {
      200: {
        description: 'A page for browsers, JSON for others.',
        schema: 'Places',
        other: { 'text/html': 'For people.' },
      },
    },
  },
  {
    method: 'get',
    path: '/healthz',
    tag: 'Service',
    summary: 'Is the process alive?',
    credential: 'none',
    answers: { 200: { description: 'It is.', schema: 'Alive' } },
  },
  {
    method: 'get',
    path: '/readyz',
    tag: 'Service',
    summary: 'May it be sent work?',
    credential: 'none',
    answers: {
      200: { description: 'Everything works.', schema: 'Readiness' },
      503: { description: 'Something does not; `checks` say what, `reason` why.', schema: 'Readiness' },
    },
  },
  {
    method: 'get',
    path: '/metrics',
    tag: 'Service',
    summary: 'Metrics for Prometheus',
    description: 'There only where `METRICS_TOKEN` is set.',
    credential: 'metrics-token',
    answers: {
      200: { description: 'All metrics.', other: { 'text/plain': "Prometheus's text format." } },
      401: { description: 'Not the token.', schema: 'Error' },
    },
  },
  {
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This document',
    credential: 'none',
    answers: { 200: { description: 'OpenAPI 3.1.', other: { 'application/json': 'OpenAPI 3.1.' } } },
  },
  {
    method: 'get',
    path: '/docs',
    tag: 'Service',
    summary: 'This document for people',
    credential: 'none',
    answers: { 200: { description: 'The page.', other: { 'text/html': 'For people.' } } },
  },
];
