import { readXml, type XmlElement } from "certificates/tls/dns/api/read-xml";
import type { RemoteEntry } from "../file-system.ts";

/** A page of a listing. Source: Amazon S3 API Reference, ListObjectsV2 */
export interface S3Page {
  readonly entries: readonly RemoteEntry[];
  /** Token of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Decodes a name of a listing with `EncodingType`, where `+` is a space. */
function decoded(text: string, isEncoded: boolean): string {
  if (!isEncoded) {
    return text;
  }
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text; // no UTF-8: shown as it came
  }
}

/** The name of a key below a prefix; "" for a key that is no direct member. */
function nameBelow(key: string, prefix: string): string {
  const name = key.startsWith(prefix) ? key.slice(prefix.length) : "";
  return name.includes("/") ? "" : name;
}

/** @throws ServerError for a text that is no such page */
export async function readPage(text: string, prefix: string): Promise<S3Page> {
  const page = await readXml(text);
  const isEncoded = page.text("EncodingType") === "url";
  const keyOf = (element: XmlElement, name: string) => decoded(element.text(name) ?? "", isEncoded);
  const folders = page.all("CommonPrefixes").map(
    (each): RemoteEntry => ({
      name: nameBelow(keyOf(each, "Prefix").replace(/\/$/, ""), prefix),
      ...{ isFolder: true, size: 0, etag: "", modifiedMs: undefined },
    }),
  );
  const files = page.all("Contents").map((each): RemoteEntry => {
    const modifiedMs = Date.parse(each.text("LastModified") ?? "");
    return {
      name: nameBelow(keyOf(each, "Key"), prefix),
      isFolder: false,
      size: Number(each.text("Size") ?? 0) || 0,
      etag: each.text("ETag") ?? "",
      modifiedMs: Number.isNaN(modifiedMs) ? undefined : modifiedMs,
    };
  });
  const next = page.text("IsTruncated") === "true" ? page.text("NextContinuationToken") : undefined;
  // An empty name is the folder itself: some programs create an object for a folder.
  return { entries: [...folders, ...files].filter(({ name }) => name !== ""), next: next || undefined };
}

/** The code of an error, for logs and users: `NoSuchBucket`. Never the message, which may quote a request. */
export function errorCode(text: string): string {
  return /<Code>([A-Za-z0-9.]{1,60})<\/Code>/.exec(text)?.[1] ?? "";
}
