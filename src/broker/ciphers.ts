import { DEFAULT_CIPHERS } from 'node:tls';

/** Node's own, the one first that takes least time where the processor knows AES: every body is decrypted and encrypted once more here. */
export const CIPHERS = [...new Set(['TLS_AES_128_GCM_SHA256', ...DEFAULT_CIPHERS.split(':')])].join(':');
