import { tableEngines } from "../engine/engine-config.ts";
import { engineError } from "../engine-error.ts";
import type { Token } from "./tokenizer.ts";

const allowed = {
  table: new Set(tableEngines.map((engine) => engine.toUpperCase())),
  database: new Set(["ATOMIC", "MEMORY"]),
};

/** Words that may follow a column named `engine` in the query of a view, and that are no names of engines. */
const sqlWords = new Set(
  (
    "AND AS ASC BETWEEN DESC FORMAT FROM GROUP HAVING ILIKE IN INTO IS LIKE LIMIT NOT ON OR ORDER SETTINGS THEN " +
    "UNION WHERE"
  ).split(" "),
);

/**
 * Finds `ENGINE = name` and `ENGINE name` in statements that create tables and databases. It refuses engines that store
 * data elsewhere, call other hosts or run programs, because the embedded engine needs no grant for some of them.
 */
export class EngineClause {
  #creates: "table" | "database" | undefined;
  /** The previous tokens, latest first. */
  #past: readonly (Token | undefined)[] = [];

  /**
   * Checks the next token of the statement.
   * @throws EngineError ACCESS_DENIED
   */
  take(token: Token): void {
    const [before] = this.#past;
    if (token.kind === "word") {
      const isFirst = before === undefined || before.text === "WITH";
      if (token.text === "CREATE" || token.text === "ATTACH" || (token.text === "REPLACE" && isFirst)) {
        this.#creates = "table";
      } else if (token.text === "DATABASE" && /^(?:CREATE|ATTACH|REPLACE)$/.test(before?.text ?? "")) {
        this.#creates = "database";
      }
    }
    if (this.#creates !== undefined && (token.kind === "word" || token.kind === "quoted")) {
      this.#check(token, this.#creates);
    }
    this.#past = [token, ...this.#past.slice(0, 2)];
  }

  #check(name: Token, creates: "table" | "database"): void {
    const hasSign = this.#past[0]?.kind === "symbol" && this.#past[0].text === "=";
    const [keyword, before] = hasSign ? this.#past.slice(1) : this.#past;
    if (keyword?.kind !== "word" || keyword.text !== "ENGINE") {
      return;
    }
    const text = name.text.toUpperCase();
    const isColumn = before?.text === "(" || before?.text === "," || (!hasSign && sqlWords.has(text));
    if (!isColumn && !allowed[creates].has(text)) {
      throw engineError("ACCESS_DENIED", `the ${creates} engine ${name.text} is not allowed over HTTP`);
    }
  }
}
