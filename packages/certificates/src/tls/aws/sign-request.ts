import { createHash, createHmac } from "node:crypto";

/** The keys that a request is signed with. */
export interface AwsCredentials {
  /** Names the key in signatures; no secret. */
  readonly accessKeyId: string;
  /** The secret key, which only signs requests and is never sent. */
  readonly secretAccessKey: string;
  /** Session token of temporary keys, sent with each request; absent for permanent keys. */
  readonly sessionToken?: string | undefined;
  /** Expiry in milliseconds since 1970; undefined: permanent credentials. */
  readonly endsAtMs?: number | undefined;
}

export interface UnsignedRequest {
  readonly method: string;
  readonly url: URL;
  /** Body of the request; "" without a body. The signature always covers its hash. */
  readonly body: string;
  /** Region of the service, such as `us-east-1`. */
  readonly region: string;
  /** The service's name in signatures, such as `route53`. */
  readonly service: string;
  /** Further headers that the signature covers, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The hash of a text, as signatures contain it. */
export const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Only the unreserved characters of RFC 3986 stay unescaped. */
export function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Parameters are sorted by their names: as a whole text, `a-b=1` would come before `a=1`. */
function byNameAndValue(a: [string, string], b: [string, string]): number {
  return compare(a[0], b[0]) || compare(a[1], b[1]);
}

/**
 * The headers of a signed request, Signature Version 4.
 * Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signedHeaders(
  { method, url, body, region, service, headers: more = {} }: UnsignedRequest,
  credentials: AwsCredentials,
  now = new Date(),
): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const day = time.slice(0, 8);
  const headers: Record<string, string> = {
    host: url.host,
    "x-amz-date": time,
    ...more,
    ...(credentials.sessionToken ? { "x-amz-security-token": credentials.sessionToken } : {}),
  };
  const names = Object.keys(headers).sort();
  const query = [...url.searchParams]
    .map(([name, value]): [string, string] => [escaped(name), escaped(value)])
    .sort(byNameAndValue)
    .map((pair) => pair.join("="))
    .join("&");
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<Buffer | string>(
    (last, part) => hmac(last, part),
    `AWS4${credentials.secretAccessKey}`,
  );
  const signature = hmac(key, toSign).toString("hex");
  const { host: _host, ...sent } = headers;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`,
  };
}
