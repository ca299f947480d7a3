/**
 * One step of the schema. Once released its text never changes: what a later version needs is another step.
 * Every statement must be harmless when it runs twice, or in two processes at the same moment
 * (`CREATE … IF NOT EXISTS`, `ALTER … ADD COLUMN IF NOT EXISTS`).
 */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  readonly name: string;
  /** @param database name of the database, checked already */
  statements(database: string): readonly string[];
}
