import { duration, type FieldReader, row, text, wordsOf } from "../../values/block-fields.ts";
import { setAt } from "../../values/draft.ts";
import { parseFloatingPoint } from "../../values/parse-number.ts";

const ratio: FieldReader = (cursor, draft) => {
  const word = cursor.argument();
  let value = 0;
  try {
    value = parseFloatingPoint(word);
  } catch {
    // The value is refused below.
  }
  if (value <= 0 || value > 1) {
    throw cursor.error(`renewal_window_ratio must be a number in (0, 1], got ${word}`);
  }
  setAt(draft, "renewal_window_ratio", value);
};

/** Lines of a CA, except its key pairs. */
export const authorityFields = {
  name: text("name"),
  root_cn: text("root_common_name"),
  intermediate_cn: text("intermediate_common_name"),
  intermediate_lifetime: duration("intermediate_lifetime"),
  maintenance_interval: duration("maintenance_interval"),
  renewal_window_ratio: row("renewal_window_ratio", ratio, wordsOf.number),
};

/** The lines of a key pair. */
export const keyPairFields = { cert: text("certificate"), key: text("private_key"), format: text("format") };
