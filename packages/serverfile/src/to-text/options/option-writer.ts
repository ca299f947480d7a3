import type { Line } from "../lines/line.ts";
import type { MatcherSetWriter } from "../matchers/matcher-writer.ts";
import type { Members } from "../members.ts";

/** Writes a listener wrapper as its line. @throws ServerError CONFIG_INEXPRESSIBLE */
export type WrapperWriter = (wrapper: Members, matcherLines: MatcherSetWriter) => Line;

/** Looks up the writers of listener wrappers. */
export interface WrapperWriters {
  /** The lines of a set of matchers. */
  readonly matcherLines: MatcherSetWriter;
  /** @returns undefined for a listener wrapper that brings no text */
  wrapperWriterOf(wrapper: string): WrapperWriter | undefined;
}

/** Writes an app as its global option. @throws ServerError CONFIG_INEXPRESSIBLE */
export type OptionWriter = (app: Members, matcherLines: MatcherSetWriter) => Line[];
