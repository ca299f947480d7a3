import { type OwnPart, ownPrefix } from "../translate/server-document.ts";
import type { Json } from "../translate/snapshot.ts";

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function child(parent: Json, name: string): Json {
  const value = parent[name];
  return isObject(value) ? value : {};
}

function list(parent: Json, name: string): readonly unknown[] {
  const value = parent[name];
  return Array.isArray(value) ? value : [];
}

function isOwnCertificate(entry: unknown): boolean {
  return (
    isObject(entry) &&
    list(entry, "tags").some((tag) => typeof tag === "string" && tag.startsWith(`${ownPrefix}:`))
  );
}

function isOwnServer(name: string): boolean {
  return name.startsWith(`${ownPrefix}_`);
}

/**
 * Hosts that this controller automated in the earlier document. Its connection policies without a certificate selection
 * name them.
 */
function automatedBefore(servers: Json): Set<string> {
  const own = Object.entries(servers).filter(([name]) => isOwnServer(name));
  const policies = own.flatMap(([, server]) =>
    isObject(server) ? list(server, "tls_connection_policies") : [],
  );
  return new Set(
    policies
      .filter(isObject)
      .filter((policy) => policy.certificate_selection === undefined)
      .flatMap((policy) => list(child(policy, "match"), "sni"))
      .filter((name) => typeof name === "string"),
  );
}

/** Sets a member, or removes it when the value is empty. */
function put(parent: Json, name: string, value: Json | readonly unknown[]): void {
  const isEmpty = Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
  if (isEmpty) {
    delete parent[name];
  } else {
    parent[name] = value;
  }
}

/** @returns the document with this controller's part in place of its earlier one; what others wrote stays */
export function mergeDocument(document: unknown, part: OwnPart): Json {
  const merged = isObject(document) ? structuredClone(document) : {};
  const apps = child(merged, "apps");
  const http = child(apps, "http");
  const before = child(http, "servers");
  const foreign = Object.entries(before).filter(([name]) => !isOwnServer(name));
  put(http, "servers", { ...Object.fromEntries(foreign), ...part.servers });
  const tls = child(apps, "tls");
  const certificates = child(tls, "certificates");
  const loaded = list(certificates, "load_pem").filter((entry) => !isOwnCertificate(entry));
  put(certificates, "load_pem", [...loaded, ...part.certificates]);
  const known = automatedBefore(before);
  const automated = list(certificates, "automate").filter(
    (name) => typeof name !== "string" || !known.has(name),
  );
  put(certificates, "automate", [...new Set([...automated, ...part.automated])]);
  put(tls, "certificates", certificates);
  put(apps, "http", http);
  put(apps, "tls", tls);
  put(merged, "apps", apps);
  return merged;
}
