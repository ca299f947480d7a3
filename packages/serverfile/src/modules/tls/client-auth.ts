import { X509Certificate } from "node:crypto";
import { messageOf } from "server-core/errors";
import { maxPemBytes, readRegularFileSync } from "server-core/files/read-regular-file";
import type { TokenCursor } from "../../lexer/token-cursor.ts";
import { type Draft, listOf, setAt } from "../../values/draft.ts";
import type { ModuleReader, ReadModule } from "../module-reader.ts";

/** Matches a certificate in a PEM file. Other parts of the file, such as keys, are skipped. */
const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM file, as base64 of their DER form.
 * @throws ServerError CONFIG_ADAPTER for an unreadable file, or a faulty certificate
 */
function certificatesOf(cursor: TokenCursor, path: string): string[] {
  try {
    const pem = readRegularFileSync(path, maxPemBytes).toString("utf8");
    return (pem.match(pemBlock) ?? []).map((block) => new X509Certificate(block).raw.toString("base64"));
  } catch (error) {
    throw cursor.error(`${path}: ${messageOf(error)}`, error);
  }
}

/** `client_auth { mode …; trust_pool …; verifier …; trusted_… }`. @throws ServerError CONFIG_ADAPTER */
export function readClientAuth(cursor: TokenCursor, readModule: ReadModule): Draft {
  const draft: Draft = {};
  const authorities: string[] = [];
  const addAuthorities = (...certificates: string[]) => {
    if (draft.ca !== undefined) {
      throw cursor.error("cannot specify both 'trust_pool' and 'trusted_ca_cert' or 'trusted_ca_cert_file'");
    }
    authorities.push(...certificates);
  };
  cursor.remainingArguments();
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    const name = cursor.value;
    switch (name) {
      case "mode":
        setAt(draft, "mode", cursor.onlyArgument());
        break;
      case "trusted_ca_cert":
        addAuthorities(cursor.argument());
        break;
      case "trusted_ca_cert_file":
        addAuthorities(...certificatesOf(cursor, cursor.argument()));
        break;
      case "trusted_leaf_cert":
        listOf(draft, "trusted_leaf_certs").push(cursor.argument());
        break;
      case "trusted_leaf_cert_file":
        listOf(draft, "trusted_leaf_certs").push(...certificatesOf(cursor, cursor.argument()));
        break;
      case "trust_pool":
        if (authorities.length > 0) {
          throw cursor.error(
            "cannot specify both 'trust_pool' and 'trusted_ca_cert' or 'trusted_ca_cert_file'",
          );
        }
        cursor.argument();
        draft.ca = readModule(cursor, "tls.ca_pool.source", "provider");
        break;
      case "verifier":
        cursor.argument();
        listOf(draft, "verifiers").push(readModule(cursor, "tls.client_auth.verifier", "verifier"));
        break;
      default:
        throw cursor.error(`unknown subdirective for client_auth: ${name}`);
    }
  }
  if (authorities.length > 0) {
    draft.ca = { provider: "inline", trusted_ca_certs: authorities };
  }
  return draft;
}

/** `verifier leaf <loader> …`, or a block of loaders. */
export const leafVerifier: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const draft: Draft = {};
  const readLoader = () =>
    listOf(draft, "leaf_certs_loaders").push(readModule(cursor, "tls.leaf_cert_loader", "loader"));
  if (cursor.countRemainingArguments() > 1) {
    cursor.argument();
    readLoader();
    return draft;
  }
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    readLoader();
  }
  return draft;
};

/** A loader of certificates with a list of words. */
export function leafLoader(member: string): ModuleReader {
  return (cursor) => {
    cursor.next();
    const words = cursor.remainingArguments();
    return words.length === 0 ? {} : { [member]: words };
  };
}
