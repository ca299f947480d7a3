import type { TokenCursor } from "../lexer/token-cursor.ts";
import { authorityFields, keyPairFields } from "../modules/tls/authority-fields.ts";
import { type FieldReader, readFields } from "../values/block-fields.ts";
import { childOf, type Draft } from "../values/draft.ts";

/** Reads a block `root` or `intermediate`: files of the CA's certificate and key. */
function keyPair(which: "root" | "intermediate"): FieldReader {
  return (cursor, draft) =>
    readFields(
      cursor,
      childOf(draft, which),
      keyPairFields,
      (word) => `unrecognized pki ca ${which} option '${word}'`,
    );
}

const fields = { ...authorityFields, root: keyPair("root"), intermediate: keyPair("intermediate") };

/** `pki { ca [id] { … } }`: CAs by id; the default id is `local`. @throws ServerError CONFIG_ADAPTER */
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
