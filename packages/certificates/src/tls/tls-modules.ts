import { type ListedModule, listed } from "server-core/modules/module";
import { pkiApp } from "../pki/pki-app.ts";
import { pkiRoute } from "../pki/pki-route.ts";
import { httpPermission } from "./automation/permission.ts";
import { certificatesRoute } from "./certificates/certificates-route.ts";
import { execDnsProvider } from "./dns/exec-provider.ts";
import { acmednsProvider } from "./dns/providers/acmedns.ts";
import { azureProvider } from "./dns/providers/azure.ts";
import { cloudflareProvider } from "./dns/providers/cloudflare.ts";
import { desecProvider } from "./dns/providers/desec.ts";
import { digitaloceanProvider } from "./dns/providers/digitalocean.ts";
import { duckdnsProvider } from "./dns/providers/duckdns.ts";
import { gandiProvider } from "./dns/providers/gandi.ts";
import { godaddyProvider } from "./dns/providers/godaddy.ts";
import { googleclouddnsProvider } from "./dns/providers/googleclouddns.ts";
import { hetznerProvider } from "./dns/providers/hetzner.ts";
import { linodeProvider } from "./dns/providers/linode.ts";
import { namecheapProvider } from "./dns/providers/namecheap.ts";
import { ovhProvider } from "./dns/providers/ovh.ts";
import { porkbunProvider } from "./dns/providers/porkbun.ts";
import { powerdnsProvider } from "./dns/providers/powerdns.ts";
import { rfc2136Provider } from "./dns/providers/rfc2136/rfc2136.ts";
import { route53Provider } from "./dns/providers/route53.ts";
import { vultrProvider } from "./dns/providers/vultr.ts";
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

/** All modules for certificates; `server-modules/standard` adds them to the list of all modules. */
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
  listed("dns.providers.acmedns", () => acmednsProvider),
  listed("dns.providers.azure", () => azureProvider),
  listed("dns.providers.cloudflare", () => cloudflareProvider),
  listed("dns.providers.desec", () => desecProvider),
  listed("dns.providers.digitalocean", () => digitaloceanProvider),
  listed("dns.providers.duckdns", () => duckdnsProvider),
  listed("dns.providers.gandi", () => gandiProvider),
  listed("dns.providers.godaddy", () => godaddyProvider),
  listed("dns.providers.googleclouddns", () => googleclouddnsProvider),
  listed("dns.providers.hetzner", () => hetznerProvider),
  listed("dns.providers.linode", () => linodeProvider),
  listed("dns.providers.namecheap", () => namecheapProvider),
  listed("dns.providers.ovh", () => ovhProvider),
  listed("dns.providers.porkbun", () => porkbunProvider),
  listed("dns.providers.powerdns", () => powerdnsProvider),
  listed("dns.providers.rfc2136", () => rfc2136Provider),
  listed("dns.providers.route53", () => route53Provider),
  listed("dns.providers.vultr", () => vultrProvider),
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
