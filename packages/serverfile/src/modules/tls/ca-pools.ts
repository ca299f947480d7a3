import type { TokenCursor } from "../../lexer/token-cursor.ts";
import {
  appended,
  duration,
  type FieldReader,
  type FieldReaders,
  readFields,
  row,
  text,
  wordsFor,
  wordsOf,
} from "../../values/block-fields.ts";
import { type Draft, listOf } from "../../values/draft.ts";
import type { ModuleReader, ReadModule } from "../module-reader.ts";

const unknown = (word: string) => `unrecognized directive: ${word}`;

/** Reads a pool that is a list of texts on its line or in its block. @param missing error message for an empty list */
function listed(member: string, line: string, missing: string, takesArguments = true): ModuleReader {
  return (cursor) => {
    cursor.next();
    const draft: Draft = {};
    if (takesArguments) {
      appended(member)(cursor, draft);
    } else if (cursor.countRemainingArguments() > 0) {
      throw cursor.argumentError();
    }
    readFields(cursor, draft, { [line]: appended(member) }, unknown);
    if (draft[member] === undefined) {
      throw cursor.error(missing);
    }
    return draft;
  };
}

/** `storage key… { storage …; keys … }`: certificates from a storage. */
const storage: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft: Draft = {};
  appended("pem_keys")(cursor, draft);
  const readStorage: FieldReader = (line, read) => {
    if (read.storage !== undefined) {
      throw line.error("storage module already set");
    }
    line.argument();
    read.storage = readModule(line, "storage", "module");
  };
  readFields(cursor, draft, { storage: readStorage, keys: appended("pem_keys") }, unknown);
  return draft;
};

/** `insecure_skip_verify`: disables the check of the server's certificate. */
const skipVerify: FieldReader = (_cursor, draft) => {
  draft.insecure_skip_verify = true;
};

/** `renegotiation never | once | freely`. */
const renegotiation: FieldReader = (cursor, draft) => {
  const level = cursor.argument();
  if (!["never", "once", "freely"].includes(level)) {
    throw cursor.error(`unrecognized renegotiation level: ${level}`);
  }
  draft.renegotiation = level;
};

/** Lines of `tls`, each of which sets one field. */
export const clientTlsFields: FieldReaders = {
  insecure_skip_verify: row("insecure_skip_verify", skipVerify, wordsFor(true)),
  handshake_timeout: duration("handshake_timeout", "bad timeout value '%s'"),
  server_name: text("server_name"),
  renegotiation: row("renegotiation", renegotiation, wordsOf.text),
};

/** `tls { … }`: TLS settings of the pool's own requests. */
function readClientTls(cursor: TokenCursor, readModule: ReadModule): Draft {
  const draft: Draft = {};
  const ca: FieldReader = (line, read) => {
    line.argument();
    read.ca = readModule(line, "tls.ca_pool.source", "provider");
  };
  readFields(cursor, draft, { ...clientTlsFields, ca }, unknown);
  return draft;
}

/** `http endpoint… { endpoints …; tls { … } }`: certificates from a web server. */
const http: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft: Draft = {};
  appended("endpoints")(cursor, draft);
  const fields: Readonly<Record<string, FieldReader>> = {
    endpoints: (line, read) => {
      listOf(read, "endpoints").push(...line.someArguments());
    },
    tls: (line, read) => {
      if (read.tls !== undefined) {
        throw line.error("tls block already defined");
      }
      read.tls = readClientTls(line, readModule);
    },
  };
  readFields(cursor, draft, fields, unknown);
  return draft;
};

/** `system`: the trust store of the machine. */
const system: ModuleReader = (cursor) => {
  cursor.next();
  if (cursor.countRemainingArguments() > 0) {
    throw cursor.argumentError();
  }
  if (cursor.nextInBlock(0)) {
    throw cursor.error("system trust pool does not support any configuration");
  }
  return {};
};

/** `combined { source …; source … }`: merges several pools. */
const combined: ModuleReader = (cursor, readModule) => {
  cursor.next();
  if (cursor.countRemainingArguments() > 0) {
    throw cursor.argumentError();
  }
  const draft: Draft = {};
  const source: FieldReader = (line, read) => {
    line.argument();
    listOf(read, "sources").push(readModule(line, "tls.ca_pool.source", "provider"));
  };
  readFields(cursor, draft, { source }, unknown);
  if (draft.sources === undefined) {
    throw cursor.error("no sources specified");
  }
  return draft;
};

/** Readers of all sources of trusted CAs. */
export const caPools: Readonly<Record<string, ModuleReader>> = {
  combined,
  file: listed("pem_files", "pem_file", "no certificates specified"),
  http,
  inline: listed("trusted_ca_certs", "trust_der", "no certificates specified", false),
  pki_intermediate: listed("authority", "authority", "no authorities specified"),
  pki_root: listed("authority", "authority", "no authorities specified"),
  storage,
  system,
};
