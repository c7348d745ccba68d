/** The page of a technique in the ATT&CK catalogue: `T1552/004`. */
export const attack = (technique: `T${string}`) => `https://attack.mitre.org/techniques/${technique}/`;
