import type { ProfileData } from '../profile/schema.ts';

/** Without GOPROXY, whose value may carry a password. */
export const GO_DEV: ProfileData = {
  meta: { name: 'go-dev', description: 'Go work: module and build settings, no proxy credentials' },
  extends: 'default',
  environment: {
    allow_vars: [
      ...['GOPATH', 'GOROOT', 'GOBIN', 'GOCACHE', 'GOMODCACHE', 'GOOS', 'GOARCH', 'GOTOOLCHAIN', 'GOEXPERIMENT'],
      ...['GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOSUMDB', 'CGO_ENABLED', 'CI'],
    ],
  },
};
