import type { ModuleDefinition } from "../core/modules/module.ts";
import { pkiApp } from "../pki/pki-app.ts";
import { pkiRoute } from "../pki/pki-route.ts";
import { httpPermission } from "./automation/permission.ts";
import { certificatesRoute } from "./certificates/certificates-route.ts";
import { execDnsProvider } from "./dns/dns-provider.ts";
import { acmeIssuer } from "./issuers/acme/acme-issuer.ts";
import { internalIssuer } from "./issuers/internal.ts";
import {
  automateLoader,
  fileLoader,
  folderLoader,
  pemLoader,
  storageLoader,
} from "./loaders/certificate-loaders.ts";
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
import { leafVerifier } from "./pools/leaf-verifier.ts";
import { fileSystemStorage } from "./storage/file-system.ts";
import { tlsApp } from "./tls-app.ts";

/** All that has to do with certificates; `modules/standard.ts` lists them with the others. */
export const tlsModules: readonly ModuleDefinition[] = [
  pkiApp,
  tlsApp,
  pkiRoute,
  certificatesRoute,
  fileSystemStorage,
  internalIssuer,
  acmeIssuer,
  execDnsProvider,
  httpPermission,
  automateLoader,
  fileLoader,
  folderLoader,
  pemLoader,
  storageLoader,
  localIpMatcher,
  notHandshakeMatcher,
  remoteIpHandshakeMatcher,
  sniMatcher,
  sniRegexpMatcher,
  combinedCaPool,
  fileCaPool,
  inlineCaPool,
  pkiIntermediateCaPool,
  pkiRootCaPool,
  storageCaPool,
  systemCaPool,
  leafVerifier,
];
