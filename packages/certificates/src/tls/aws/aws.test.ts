import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeApi } from "../dns/testing/fake-api.ts";
import { findCredentials, findRegion } from "./find-credentials.ts";
import { sha256, signedHeaders } from "./sign-request.ts";

test("a signature of the provider's own test suite", () => {
  // Source: AWS Signature Version 4 test suite, get-vanilla-query-order-key-case
  const { authorization } = signedHeaders(
    {
      method: "GET",
      url: new URL("https://example.amazonaws.com/?Param2=value2&Param1=value1"),
      body: "",
      region: "us-east-1",
      service: "service",
    },
    { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" },
    new Date("2015-08-30T12:36:00Z"),
  );
  expect(authorization).toBe(
    "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  );
});

describe("who asks", () => {
  let home: string;
  let machine: FakeApi;
  const role = { AccessKeyId: "M", SecretAccessKey: "ms", Token: "mt", Expiration: "2030-01-01T00:00:00Z" };
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "aws-"));
    await mkdir(join(home, ".aws"));
    machine = await FakeApi.start(({ method, parts, headers }) => {
      if (parts[0] === "container") {
        return headers.authorization === "c" ? { body: role } : { status: 401 };
      }
      if (method === "PUT") {
        return { body: "session" };
      }
      if (headers["x-aws-ec2-metadata-token"] !== "session") {
        return { status: 401 };
      }
      return { body: parts.at(-1) === "" ? "web-role\n" : role };
    });
  });
  afterEach(async () => {
    await machine.close();
    await rm(home, { recursive: true });
  });
  const find = (environment: Record<string, string> = {}, profile?: string) =>
    findCredentials(profile, {
      environment: { HOME: home, ...environment },
      metadata: machine.origin,
      container: machine.origin,
    });

  test("the environment", async () => {
    const variables = { AWS_ACCESS_KEY_ID: "E", AWS_SECRET_ACCESS_KEY: "es", AWS_SESSION_TOKEN: "et" };
    expect(await find(variables)).toEqual({ accessKeyId: "E", secretAccessKey: "es", sessionToken: "et" });
  });

  test("a profile", async () => {
    const text =
      "[default]\naws_access_key_id = D\naws_secret_access_key=ds\n\n[web]\naws_access_key_id=W\naws_secret_access_key = ws\n";
    await writeFile(join(home, ".aws/credentials"), text);
    expect(await find()).toMatchObject({ accessKeyId: "D", secretAccessKey: "ds" });
    expect(await find({}, "web")).toMatchObject({ accessKeyId: "W", secretAccessKey: "ws" });
    expect(await find({ AWS_PROFILE: "web" })).toMatchObject({ accessKeyId: "W" });
    await expect(find({}, "none")).rejects.toThrow("the profile none has no credentials");
  });

  test("the role of a container, and of the machine", async () => {
    const ofRole = {
      accessKeyId: "M",
      secretAccessKey: "ms",
      sessionToken: "mt",
      endsAtMs: Date.parse("2030-01-01T00:00:00Z"),
    };
    const variables = {
      AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/container?id=1",
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "c",
    };
    expect(await find(variables)).toEqual(ofRole);
    expect(await find()).toEqual(ofRole);
  });

  test("nobody", async () => {
    await expect(
      findCredentials(undefined, {
        environment: { HOME: home },
        metadata: "http://127.0.0.1:1",
        container: "http://127.0.0.1:1",
      }),
    ).rejects.toThrow(
      "there are no credentials in the config, the environment, a profile or the machine's role",
    );
  });
});

test("further headers are signed, and parameters are sorted by their names", () => {
  // Source: Amazon S3 API Reference, "Authenticating Requests: Using the Authorization Header", examples 2 and 4
  const keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  };
  const sign = (query: string) =>
    signedHeaders(
      {
        method: "GET",
        url: new URL(`https://examplebucket.s3.amazonaws.com/?${query}`),
        ...{ body: "", region: "us-east-1", service: "s3" },
        headers: { "x-amz-content-sha256": sha256("") },
      },
      keys,
      new Date("2013-05-24T00:00:00Z"),
    ).authorization;
  expect(sign("lifecycle=")).toContain(
    "SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
  expect(sign("prefix=J&max-keys=2")).toContain(
    "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
  expect(sign("a-b=1&a=2")).toBe(sign("a=2&a-b=1"));
});

test("a region comes from the environment, then from the profile", async () => {
  const home = await mkdtemp(join(tmpdir(), "aws-"));
  await mkdir(join(home, ".aws"));
  await writeFile(
    join(home, ".aws/config"),
    "[default]\nregion = eu-west-1\n[profile web]\nregion=eu-west-2\n",
  );
  expect(findRegion(undefined, { HOME: home })).toBe("eu-west-1");
  expect(findRegion("web", { HOME: home })).toBe("eu-west-2");
  expect(findRegion("web", { HOME: home, AWS_REGION: "us-west-1" })).toBe("us-west-1");
  expect(findRegion("none", { HOME: home })).toBeUndefined();
  await rm(home, { recursive: true });
});
