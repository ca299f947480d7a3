import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Kinds of records that prove names. */
export type DnsRecordType = "TXT" | "CNAME";

/** Changes records of a DNS zone. Modules of the user's own may bring one for their provider. */
export interface DnsProvider extends ModuleInstance {
  /**
   * Makes a record.
   * @param name full, without final dot: `_acme-challenge.example.com`
   * @param type default TXT; a CNAME's value is a name without final dot
   * @throws ServerError ACME
   */
  present(name: string, value: string, ttlSeconds: number, type?: DnsRecordType): Promise<void>;
  /** Removes it. @throws ServerError ACME */
  remove(name: string, value: string, type?: DnsRecordType): Promise<void>;
}

export const dnsProviders: ModuleNamespace<DnsProvider> = { prefix: "dns.providers" };
