import { asc, eq, getTableColumns, inArray } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeyNetworks, apiKeys, budgets } from '../../database/schema/index.ts';
import { printScope } from '../limits/index.ts';

/** An API key in an export: everything that is stored about it except hashes. */
export type ExportedApiKey = Awaited<ReturnType<typeof readApiKeys>>[number];

export async function readApiKeys(db: Database, userId: number) {
  const {
    id,
    userId: _userId,
    hash: _hash,
    previousHash: _previous,
    isUniversal: _universal,
    label,
    ...columns
  } = getTableColumns(apiKeys);
  const keys = await db
    .select({ id, name: label, ...columns })
    .from(apiKeys)
    .where(eq(apiKeys.userId, userId))
    .orderBy(asc(apiKeys.id));
  if (keys.length === 0) return [];
  const keyIds = keys.map((key) => key.id);
  const networks = await db.select().from(apiKeyNetworks).where(inArray(apiKeyNetworks.keyId, keyIds));
  const amounts = await db
    .select()
    .from(budgets)
    .where(
      inArray(
        budgets.scope,
        keyIds.map((id) => printScope({ kind: 'key', id })),
      ),
    );
  return keys.map(({ id: keyId, ...key }) => ({
    ...key,
    networks: networks
      .filter((one) => one.keyId === keyId)
      .map(({ network, firstSeenAt }) => ({ network, firstSeenAt })),
    budget: toBudget(amounts.find(({ scope }) => scope === printScope({ kind: 'key', id: keyId }))),
  }));
}

function toBudget(row: typeof budgets.$inferSelect | undefined) {
  return row && { usdPerDay: row.usdPerDay, usdPerMonth: row.usdPerMonth, usdTotal: row.usdTotal };
}
