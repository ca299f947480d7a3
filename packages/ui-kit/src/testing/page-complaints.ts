import type { Page } from "playwright-core";

/** Collects, from now on, errors of the page and violations of its content security policy. */
export function pageComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && message.text().includes("Content Security Policy")) {
      complaints.push(message.text());
    }
  });
  return complaints;
}
