import type { TokenCursor } from "../lexer/token-cursor.ts";
import { duration, type FieldReader, readFields, text } from "../values/block-fields.ts";
import { childOf, type Draft, setAt } from "../values/draft.ts";
import { parseFloatingPoint } from "../values/parse-number.ts";

function keyPair(which: "root" | "intermediate"): FieldReader {
  const fields = { cert: text("certificate"), key: text("private_key"), format: text("format") };
  return (cursor, draft) =>
    readFields(
      cursor,
      childOf(draft, which),
      fields,
      (word) => `unrecognized pki ca ${which} option '${word}'`,
    );
}

function ratio(cursor: TokenCursor, draft: Draft): void {
  const word = cursor.argument();
  let value = 0;
  try {
    value = parseFloatingPoint(word);
  } catch {
    // refused below
  }
  if (value <= 0 || value > 1) {
    throw cursor.error(`renewal_window_ratio must be a number in (0, 1], got ${word}`);
  }
  setAt(draft, "renewal_window_ratio", value);
}

const fields: Readonly<Record<string, FieldReader>> = {
  name: text("name"),
  root_cn: text("root_common_name"),
  intermediate_cn: text("intermediate_common_name"),
  intermediate_lifetime: duration("intermediate_lifetime", ""),
  maintenance_interval: duration("maintenance_interval", ""),
  renewal_window_ratio: ratio,
  root: keyPair("root"),
  intermediate: keyPair("intermediate"),
};

/** `pki { ca [id] { … } }`: authorities by id, `local` when none is given. @throws ServerError CONFIG_ADAPTER */
export function readAuthorities(cursor: TokenCursor): Map<string, Draft> {
  const authorities = new Map<string, Draft>();
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "ca") {
      throw cursor.error(`unrecognized pki option '${cursor.value}'`);
    }
    const id = cursor.nextArgument() ? cursor.value : "";
    cursor.noMoreArguments();
    const draft: Draft = {};
    readFields(cursor, draft, fields, (word) => `unrecognized pki ca option '${word}'`);
    authorities.set(id || "local", draft);
  }
  return authorities;
}
