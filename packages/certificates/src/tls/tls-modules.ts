import { type ListedModule, listed } from "server-core/modules/module";
import { pkiApp } from "../pki/pki-app.ts";
import { pkiRoute } from "../pki/pki-route.ts";
import { httpPermission } from "./automation/permission.ts";
import { certificatesRoute } from "./certificates/certificates-route.ts";
import { execDnsProvider } from "./dns/dns-provider.ts";
import { acmeIssuer } from "./issuers/acme/acme-issuer.ts";
import { internalIssuer } from "./issuers/internal.ts";
import { zerosslIssuer } from "./issuers/zerossl/zerossl-issuer.ts";
import {
  automateLoader,
  fileLoader,
  folderLoader,
  pemLoader,
  storageLoader,
} from "./loaders/certificate-loaders.ts";
import { httpManager } from "./managers/http-manager.ts";
import {
  localIpMatcher,
  notHandshakeMatcher,
  remoteIpHandshakeMatcher,
  sniMatcher,
  sniRegexpMatcher,
} from "./matchers/standard-matchers.ts";
import {
  combinedCaPool,
  fileCaPool,
  inlineCaPool,
  pkiIntermediateCaPool,
  pkiRootCaPool,
  storageCaPool,
  systemCaPool,
} from "./pools/ca-pools.ts";
import { httpCaPool } from "./pools/http-ca-pool.ts";
import { leafVerifier } from "./pools/leaf-verifier.ts";
import { storageModules } from "./storage/storage-modules.ts";
import { tlsApp } from "./tls-app.ts";

/** All that has to do with certificates; `server-modules/standard` lists them with the others. */
export const tlsModules: readonly ListedModule[] = [
  listed("pki", () => pkiApp, { implied: true }),
  listed("tls", () => tlsApp, { implied: true }),
  listed("admin.api.pki", () => pkiRoute),
  listed("admin.api.certificates", () => certificatesRoute),
  ...storageModules,
  listed("tls.issuance.internal", () => internalIssuer),
  listed("tls.issuance.acme", () => acmeIssuer),
  listed("tls.issuance.zerossl", () => zerosslIssuer),
  listed("dns.providers.exec", () => execDnsProvider),
  listed("tls.permission.http", () => httpPermission),
  listed("tls.get_certificate.http", () => httpManager),
  listed("tls.certificates.automate", () => automateLoader),
  listed("tls.certificates.load_files", () => fileLoader),
  listed("tls.certificates.load_folders", () => folderLoader),
  listed("tls.certificates.load_pem", () => pemLoader),
  listed("tls.certificates.load_storage", () => storageLoader),
  listed("tls.handshake_match.local_ip", () => localIpMatcher),
  listed("tls.handshake_match.not", () => notHandshakeMatcher),
  listed("tls.handshake_match.remote_ip", () => remoteIpHandshakeMatcher),
  listed("tls.handshake_match.sni", () => sniMatcher),
  listed("tls.handshake_match.sni_regexp", () => sniRegexpMatcher),
  listed("tls.ca_pool.source.combined", () => combinedCaPool),
  listed("tls.ca_pool.source.file", () => fileCaPool),
  listed("tls.ca_pool.source.http", () => httpCaPool),
  listed("tls.ca_pool.source.inline", () => inlineCaPool),
  listed("tls.ca_pool.source.pki_intermediate", () => pkiIntermediateCaPool),
  listed("tls.ca_pool.source.pki_root", () => pkiRootCaPool),
  listed("tls.ca_pool.source.storage", () => storageCaPool),
  listed("tls.ca_pool.source.system", () => systemCaPool),
  listed("tls.client_auth.verifier.leaf", () => leafVerifier),
];
