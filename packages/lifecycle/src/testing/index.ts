export { freeAddresses } from "./free-addresses.ts";
export { createTestAuthority, type TestAuthority, type TestCertificate } from "./test-certificates.ts";
export { createTlsFolder, type TlsFolder } from "./tls-folder.ts";
