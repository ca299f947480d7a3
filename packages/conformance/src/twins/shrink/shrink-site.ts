import type { Statement } from "../sites/site-text.ts";
import { shrinkList } from "./shrink-list.ts";

type Holds = (statements: readonly Statement[]) => Promise<boolean>;

/** The global options that make a site reachable are not removed. */
const isGlobal = ({ line }: Statement) =>
  /^(\{|default_bind .*|https?_port .*|local_certs|skip_install_trust|persist_config off|servers \{|protocols .*)$/.test(
    line,
  );

/**
 * Removes statements from a site, and unwraps blocks, as long as `holds` is true for the rest. Whole sites and snippets
 * are tried first, then the statements inside the others.
 */
export async function shrinkSite(
  statements: readonly Statement[],
  holds: Holds,
): Promise<readonly Statement[]> {
  const global = statements.filter(isGlobal);
  let rest = await shrinkList(
    statements.filter((statement) => !isGlobal(statement)),
    (candidate) => holds([...global, ...candidate]),
  );
  rest = [...global, ...rest];
  for (const [index, { line, block }] of rest.entries()) {
    if (block === undefined) {
      continue;
    }
    const around = (inner: readonly Statement[]) => rest.with(index, { line, block: inner });
    const inner = await shrinkSite(block, (candidate) => holds(around(candidate)));
    rest = around(inner);
  }
  return unwrap(rest, holds);
}

/** Replaces a block by its content. */
async function unwrap(statements: readonly Statement[], holds: Holds): Promise<readonly Statement[]> {
  let rest = statements;
  for (let index = 0; index < rest.length; index++) {
    const statement = rest[index];
    if (statement?.block === undefined || isGlobal(statement)) {
      continue;
    }
    const candidate = rest.toSpliced(index, 1, ...statement.block);
    if (await holds(candidate)) {
      rest = candidate;
    }
  }
  return rest;
}
