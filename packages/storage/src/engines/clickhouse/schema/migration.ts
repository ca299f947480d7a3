/**
 * A step of the schema. The text of a step never changes after a release; later changes are new steps. Every statement
 * must be harmless when it runs twice, or in two processes at the same time (`CREATE … IF NOT EXISTS`, `ALTER … ADD
 * COLUMN IF NOT EXISTS`).
 */
export interface Migration {
  /** Version number: 1, 2, 3 … without gaps. */
  readonly version: number;
  /** Name for the log. */
  readonly name: string;
  /** @param database valid name of the database */
  statements(database: string): readonly string[];
}
