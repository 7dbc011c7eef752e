/** Runs the compliance suite of Open Responses: one line `ok` or `failed` for each case. */
import { COMPLIANCE_CASES, findFaults } from './cases.ts';
import { SPECIFICATION } from './schema.ts';

const { SWITCHBOARD_URL, SWITCHBOARD_KEY, SWITCHBOARD_CHAT_MODEL: model } = process.env;

const send = (body: object) =>
  fetch(`${SWITCHBOARD_URL}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SWITCHBOARD_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, ...body }),
    signal: AbortSignal.timeout(120_000),
  });

console.log('version', SPECIFICATION);
for (const one of COMPLIANCE_CASES) {
  const faults = await findFaults(one, send).catch((error: unknown) => [String(error)]);
  console.log(faults.length === 0 ? `ok ${one.id}` : `failed ${one.id}: ${faults.join('; ')}`);
  if (faults.length > 0) process.exitCode = 1;
}
