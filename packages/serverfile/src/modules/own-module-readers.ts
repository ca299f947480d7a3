import { type Draft, setAt } from "../values/draft.ts";
import { listenerWrappers } from "./listeners.ts";
import { logEncoders } from "./logging/encoders.ts";
import { logFilters } from "./logging/filters.ts";
import { logWriters } from "./logging/writers.ts";
import { type ModuleReader, type ModuleReaders, noArguments } from "./module-reader.ts";
import { caPools } from "./tls/ca-pools.ts";
import { httpManager, httpPermission } from "./tls/certificate-managers.ts";
import { leafLoader, leafVerifier } from "./tls/client-auth.ts";
import { dnsProviders } from "./tls/dns-providers.ts";
import { acmeIssuer, internalIssuer, zerosslIssuer } from "./tls/issuers.ts";

const fileStorage: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  if (cursor.nextArgument()) {
    setAt(draft, "root", cursor.value);
  }
  cursor.noMoreArguments();
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "root") {
      throw cursor.error(`unrecognized parameter '${cursor.value}'`);
    }
    const root = cursor.argument();
    if (draft.root !== undefined) {
      throw cursor.error("root already set");
    }
    setAt(draft, "root", root);
    cursor.noMoreArguments();
  }
  if (draft.root === undefined) {
    throw cursor.error("missing root path (to use default, omit storage config entirely)");
  }
  return draft;
};

/**
 * Readers for modules of the server's lower layers and for modules of Caddy, by namespace. All other modules
 * provide their own readers.
 */
export const ownModuleReaders: ModuleReaders = {
  "dns.providers": dnsProviders,
  "caddy.listeners": listenerWrappers,
  "logging.encoders": logEncoders,
  "logging.encoders.filter": logFilters,
  "logging.writers": logWriters,
  storage: { file_system: fileStorage },
  "tls.ca_pool.source": caPools,
  "tls.client_auth.verifier": { leaf: leafVerifier },
  "tls.get_certificate": { http: httpManager, tailscale: noArguments },
  "tls.issuance": { acme: acmeIssuer, internal: internalIssuer, zerossl: zerosslIssuer },
  "tls.leaf_cert_loader": {
    file: leafLoader("files"),
    folder: leafLoader("folders"),
    pem: leafLoader("certificates"),
  },
  "tls.permission": { http: httpPermission },
};
