import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";

/** Types of records: TXT and CNAME prove names; A and AAAA are for the app `dynamic_dns`. */
export type DnsRecordType = "TXT" | "CNAME" | "A" | "AAAA";

/** Changes records of a DNS zone. User modules may add a module for another provider. */
export interface DnsProvider extends ModuleInstance {
  /**
   * Makes a record.
   * @param name full, without final dot: `_acme-challenge.example.com`
   * @param type default TXT; the value of a CNAME is a name without final dot, the value of A or AAAA an address
   * @throws ServerError ACME
   */
  present(name: string, value: string, ttlSeconds: number, type?: DnsRecordType): Promise<void>;
  /** Removes a record. @throws ServerError ACME */
  remove(name: string, value: string, type?: DnsRecordType): Promise<void>;
}

/** Modules that change records at a provider of DNS. */
export const dnsProviders: ModuleNamespace<DnsProvider> = { prefix: "dns.providers" };
