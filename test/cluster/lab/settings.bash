# Keys, and the files that the parts of the cluster are started with.

make_key() { # FILE NAME GROUP OTHER-NAMES
  openssl req -newkey rsa:2048 -nodes -subj "/CN=$2${3:+/O=$3}" -keyout "$1.key" -out "$1.csr" 2>/dev/null
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out "$1.crt" \
    -extfile <(printf 'extendedKeyUsage=serverAuth,clientAuth\n%s\n' "${4:+subjectAltName=$4}") 2>/dev/null
}

make_keys() {
  mkdir -p -m 700 "$lab/keys"
  cd "$lab/keys"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cordon-cluster -keyout ca.key -out ca.crt 2>/dev/null
  openssl genrsa -out accounts.key 2048 2>/dev/null
  openssl rsa -in accounts.key -pubout -out accounts.pub 2>/dev/null
  make_key api-server kube-apiserver '' "IP:${address[one]},IP:127.0.0.1,IP:10.96.0.1,DNS:kubernetes.default.svc,DNS:localhost"
  make_key admin admin system:masters
  make_key controllers system:kube-controller-manager ''
  make_key scheduler system:kube-scheduler ''
  local name
  for name in one two; do make_key $name system:node:$name system:nodes "IP:${address[$name]},DNS:$name"; done
  for name in admin controllers scheduler one two; do kubeconfig $name >"$lab/$name.conf"; done
  cd - >/dev/null
}

kubeconfig() { # NAME
  cat <<CONFIG
apiVersion: v1
kind: Config
clusters: [{ name: lab, cluster: { server: "https://${address[one]}:6443", certificate-authority-data: $(base64 -w0 ca.crt) } }]
users: [{ name: user, user: { client-certificate-data: $(base64 -w0 "$1.crt"), client-key-data: $(base64 -w0 "$1.key") } }]
contexts: [{ name: lab, context: { cluster: lab, user: user } }]
current-context: lab
CONFIG
}

# All of what pods are told is logged, of Secrets only that they were touched, as Kubernetes itself advises.
audit_policy() {
  cat <<'POLICY'
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - { level: Metadata, resources: [{ group: "", resources: [secrets] }] }
  - { level: RequestResponse }
POLICY
}

encryption() {
  cat <<CONFIG
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aescbc: { keys: [{ name: key, secret: $(head -c 32 /dev/urandom | base64 -w0) }] }
CONFIG
}

containerd_settings() {
  cat <<'CONFIG'
version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:1"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
CONFIG
}

network_settings() { # MACHINE
  cat <<CONFIG
{"cniVersion":"0.4.0","name":"lab","plugins":[{"type":"bridge","bridge":"cni0","isGateway":true,"ipMasq":false,
"ipam":{"type":"host-local","ranges":[[{"subnet":"${pods[$1]}.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}]}},{"type":"loopback"}]}
CONFIG
}

kubelet_settings() { # MACHINE
  cat <<CONFIG
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: cgroupfs
failSwapOn: false
oomScoreAdj: 0
enforceNodeAllocatable: [pods]
authentication: { anonymous: { enabled: false }, webhook: { enabled: true }, x509: { clientCAFile: /mnt/lab/keys/ca.crt } }
authorization: { mode: Webhook }
tlsCertFile: /mnt/lab/keys/$1.crt
tlsPrivateKeyFile: /mnt/lab/keys/$1.key
evictionHard: { memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1% }
evictionPressureTransitionPeriod: 5s
imageGCHighThresholdPercent: 99
nodeStatusUpdateFrequency: 4s
clusterDNS: ["${address[one]}"]
clusterDomain: cluster.local
CONFIG
}

# A disk of a machine, which a cluster of others would make by itself, for one server: which is where is the same each time.
volume() { # MACHINE SERVER
  mkdir -p "$lab/$1/var/cordon-volume"
  cat <<VOLUME
apiVersion: v1
kind: PersistentVolume
metadata: { name: disk-of-$1 }
spec:
  capacity: { storage: 20Gi }
  accessModes: [ReadWriteOnce]
  claimRef: { namespace: cordon, name: own-cordon-$2 }
  local: { path: /var/lib/cordon-volume }
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: kubernetes.io/hostname, operator: In, values: [$1] }] }] } }
---
VOLUME
}

# The names of pods below a headless Service, which CoreDNS would give out: asked for every second, told to dnsmasq when they change.
names() {
  cat <<'SCRIPT'
printf '%s' '{{range .items}}{{$of := .metadata}}{{range .subsets}}{{range .addresses}}{{if .hostname}}{{.ip}} {{.hostname}}.{{$of.name}}.{{$of.namespace}}.svc.cluster.local{{"\n"}}{{end}}{{end}}{{end}}{{end}}' >/run/names.template
: >/run/names
dnsmasq --keep-in-foreground --user=root --no-resolv --no-hosts --addn-hosts=/run/names --pid-file=/run/dnsmasq.pid --local=/cluster.local/ &
while sleep 1; do
  kubectl --kubeconfig /mnt/lab/admin.conf get endpoints --all-namespaces -o go-template-file=/run/names.template >/run/names.new || continue
  cmp -s /run/names.new /run/names || { cp /run/names.new /run/names; kill -HUP $!; }
done
SCRIPT
}

write_settings() {
  make_keys
  audit_policy >"$lab/audit.yaml"
  encryption >"$lab/encryption.yaml"
  containerd_settings >"$lab/containerd.toml"
  names >"$lab/names"
  local name
  for name in one two; do
    mkdir -p "$lab/$name"
    network_settings $name >"$lab/$name/network.conflist"
    kubelet_settings $name >"$lab/$name/kubelet.yaml"
  done
}
