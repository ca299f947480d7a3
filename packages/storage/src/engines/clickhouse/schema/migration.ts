/**
 * A step of the schema. Its text never changes after a release; later needs are later steps. Every statement
 * must be harmless when it runs twice, or in two processes at the same time (`CREATE … IF NOT EXISTS`, `ALTER
 * … ADD COLUMN IF NOT EXISTS`).
 */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly version: number;
  /** Name for the log. */
  readonly name: string;
  /** @param database name of the database, checked already */
  statements(database: string): readonly string[];
}
