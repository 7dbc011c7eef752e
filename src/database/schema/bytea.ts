import { customType } from 'drizzle-orm/pg-core';

/** Column type for binary data. */
export const bytea = customType<{ data: Buffer; driverData: Uint8Array }>({
  dataType: () => 'bytea',
  fromDriver: (value) => Buffer.from(value),
});
