import type { Line } from "../lines/line.ts";
import type { MatcherSetWriter } from "../matchers/matcher-writer.ts";
import type { Members } from "../members.ts";

/** Writes a listener wrapper as its line. @throws ServerError CONFIG_INEXPRESSIBLE */
export type WrapperWriter = (wrapper: Members, matcherLines: MatcherSetWriter) => Line;

/** Finds the writers of listener wrappers. */
export interface WrapperWriters {
  readonly matcherLines: MatcherSetWriter;
  /** @returns undefined for a listener wrapper without a text form */
  wrapperWriterOf(wrapper: string): WrapperWriter | undefined;
}

/** Writes an app as its global option. @throws ServerError CONFIG_INEXPRESSIBLE */
export type OptionWriter = (app: Members, matcherLines: MatcherSetWriter) => Line[];
