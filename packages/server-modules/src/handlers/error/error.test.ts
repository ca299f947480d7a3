import { HttpError } from "http-engine/http-error";
import { makeExchange } from "http-engine/testing/make-exchange";
import { expect, test } from "vitest";
import { provisionHandler } from "../../../../admin-server/src/testing/provision-module.ts";

/** The error that the handler raises for a request. */
async function raised(config: object, headers: readonly string[] = []): Promise<HttpError> {
  const handler = await provisionHandler("error", config);
  try {
    await handler.handle(makeExchange({ headers }), () => {});
  } catch (error) {
    expect(error).toBeInstanceOf(HttpError);
    return error as HttpError;
  }
  throw new Error("the handler let the request pass");
}

test.each([
  [{}, 500, ""],
  [{ status_code: 0 }, 500, ""],
  [{ status_code: 403, error: "not for {http.request.method}" }, 403, "not for GET"],
  [{ status_code: "404" }, 404, ""],
  [{ status_code: "{http.request.header.X-Status}", error: "teapot" }, 418, "teapot"],
])("%j raises %i", async (config, status, message) => {
  const error = await raised(config, ["X-Status", "418"]);
  expect(error.status).toBe(status);
  expect(error.message).toContain(message);
});

test.each(["99", "1000", "soon", ""])(
  "a placeholder that gives %j is a fault of the config: 500",
  async (value) => {
    const error = await raised({ status_code: "{http.request.header.X-Status}" }, ["X-Status", value]);
    expect([error.status, error.message]).toEqual([500, expect.stringContaining("is no status")]);
  },
);
