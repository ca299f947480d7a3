export { freeAddresses } from "./free-addresses.ts";
export { createTestAuthority, type TestAuthority, type TestCertificate } from "./test-certificates.ts";
export { testedProgram } from "./tested-program.ts";
export { createTlsFolder, type TlsFolder } from "./tls-folder.ts";
