import { customType } from 'drizzle-orm/pg-core';

/** Column type of bit strings, as text of zeros and ones. */
export const varbit = customType<{ data: string }>({ dataType: () => 'varbit' });
