package redact

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// spelledSecrets are further ways in which secrets are written, by how they are redacted. {b62 24} is a
// secret of 24 letters of an alphabet; {pw} is a password as people choose it, {word} one without digits.
var spelledSecrets = map[string]struct {
	redact func(string) string
	lines  string
}{
	"prose": {Text, `
DB_PASS={pw}
DB_PASS={word}
export SMTP_PASS="{word}"
MYSQL_PWD={word}
db_pass = "{b62 10}"
dbPass: "{b62 10}",
"pass": "{pw}"
"pwd": "{pw}"
pwd = '{pw}'
"dbPassword": "{pw}"
{"userPass":"{pw}"}
masterkey = "{b62 16}"
"master_key": "{b62 16}"
masterKey: '{b62 20}'
"secret_key": "{b62 12}"
secret_key = "{b62 12}"
SECRET_KEY={word}
secretKey: "{b62 12}"
shared-key: "{b62 16}"
"auth_key": "{b62 16}"
AUTHKEY={b62 16}
LICENSE_KEY={b62 16}
"session_key" : "{hex 32}"
"storageKey": "{b62 24}"
hmac_key = "{hex 32}"
"writeKey": "{b62 32}"
"subscription-key": "{hex 32}"
"psk": "{pw}"
WIFI_PSK={word}
recovery_code = "{b62 10}"
{\"password\": \"{pw}\"}
{\\\"password\\\": \\\"{b62 12}\\\"}
"{\\\"api_key\\\":\\\"{b62 16}\\\"}"
{\"db_pass\":\"{pw}\"}
{"key":"DB_PASSWORD","value":"{pw}"}
{"name": "API_TOKEN", "value": "{word}"}
{ "key" : "secret_key" , "value" : "{b62 12}" }
{\"name\":\"DB_PASS\",\"value\":\"{pw}\"}
<add key="DbPassword" value="{pw}" />
<password>{pw}</password>
<password>{word}</password>
<Pwd>{pw}</Pwd>
<api-key>{b62 16}</api-key>
<settings:secretKey>{word}</settings:secretKey>
machine example.com login ada password {pw}
machine example.com login ada password {word}
default login ada password {pw}
db.example.com:5432:app:ada:{pw}
*:*:*:ada:{word}
localhost:6432:*:app:{pw}
Server=db;Database=app;User Id=sa;Password={pw};
Server=tcp:db,1433;Uid=sa;Pwd={word};Encrypt=yes
Data Source=db;User ID=sa;Password='{pw}'
Driver={SQL Server};Server=x;UID=sa;PWD={pw}
host=db user=app password={pw} dbname=app
host=db port=5432 user=app password={word}
jdbc:postgresql://db/app?user=app&password={word}
jdbc:oracle:thin:app/{pw}@//db:1521/x
redis://:{pw}@cache:6379/0
amqp://guest:{word}@mq/
mongodb+srv://app:{pw}@cluster0.example.net/x
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=R;SharedAccessKey={std 43}=
DefaultEndpointsProtocol=https;AccountName=x;AccountKey={std 86}==
//registry.example.com/:_authToken={b62 20}
//registry.example.com/:_password={b62 20}
BLOB_READ_WRITE=vercel_blob_rw_{b62 16}_{b62 30}
vercel_blob_rw_{b62 16}_{b62 30}
ntn_{b62 46}
sk_{hex 48}
CFPAT-{b62 43}
fw_{b62 24}
fc-{hex 32}
re_{b62 8}_{b62 24}
key_{hex 64}
napi_{b62 64}
crsr_{hex 64}
sgamp_user_{b62 40}
jina_{b62 64}
hcaik_01{b62 56}
oy2{low 43}
aio_{b62 28}
bkct_{b62 40}
bkaj_{b62 40}
cflt{b62 60}
AVNS_{b62 19}
mlsn.{hex 64}
ak-{b62 22}
as-{b62 22}
BSA{b62 28}
NpmToken.{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
AAAA{b62 7}:APA91b{b62 134}
sdk-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
mob-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
api-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
dbtc_{b62 40}
dbtu_{b62 40}
n8n_api_{hex 40}
tr_dev_{b62 20}
tr_prod_{b62 20}
signkey-prod-{hex 64}
secret-live-{b62 40}
secret-test-{b62 40}
access_token$production${low 16}${hex 32}
access-production-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
access-sandbox-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
pat-na1-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
live_{hex 35}
pa-{b62 43}
pk-lf-{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}
lin_wh_{b62 40}
ls__{hex 32}
esecret_{b62 30}
dkea{hex 32}
ddp_{b62 36}
shpit_{hex 32}
xau_{b62 32}
pdl_live_apikey_{low 26}_{b62 22}_{b62 3}
1/12345678901234:{hex 32}
0.{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}.{b62 30}:{std 22}==
sk{b62 120}
requirepass {pw}
masterauth {pw}
bindpw {pw}
IDENTIFIED BY '{word}'
identified with caching_sha2_password by "{pw}"
CREATE USER x WITH PASSWORD '{word}';
ALTER ROLE x ENCRYPTED PASSWORD '{pw}'
`},
	"a command": {Command, `
docker login -u ada -p {pw} registry.example.com
docker login -u ada -p {word}
podman login --password {word} -u ada quay.io
helm registry login -u ada -p {word} h
openssl enc -aes-256-cbc -k {word} -in a -out b
openssl enc -aes-256-cbc -pass pass:{word} -in a
openssl pkcs12 -in a -passin pass:{word} -passout pass:x
mongosh -u ada -p {word} --host db
mongodump --uri x -u ada -p {pw}
7z a -p{word} out.7z dir
7z x -p{pw} in.7z
kubectl create secret generic db --from-literal=password={word}
kubectl create secret generic db --from-literal=user={word} --from-literal=x={pw}
kubectl config set-credentials ada --token={b62 20}
aws configure set aws_secret_access_key {word}
aws configure set aws_session_token {b62 30}
vault login {b62 24}
vault login -method=userpass username=ada password={word}
gh secret set API -b {word}
gh secret set API --body {pw} --repo a/b
gh secret set API --body="{word}"
curl -b 'sid={word}' https://h/
curl --cookie sid={pw} https://h/
curl --oauth2-bearer {word} https://h/
curl -U ada:{word} -x proxy https://h/
curl --pass {word} --cert c.pem https://h/
htpasswd -b .htpasswd ada {word}
htpasswd -nbB ada {word}
ldapsearch -x -D cn=admin -w {word} -b dc=x
ldappasswd -s {word} -w {pw} uid=ada
sshpass -p {word} ssh h
sshpass -p{pw} ssh h
mysql -u root -p{word} app
mysqladmin -u root password {word}
redis-cli -h c -a {word} ping
redis-cli --pass {word} ping
sqlcmd -S db -U sa -P {word}
sqlcmd -S db -U sa -P{pw}
bcp t out f -U sa -P {pw}
rabbitmqctl add_user ada {word}
rabbitmqctl change_password ada {pw}
rabbitmqadmin -u ada -p {word} list queues
zip -P {word} out.zip f
unzip -P {pw} in.zip
unrar x -p{word} in.rar
smbclient //h/share -U ada%{word}
svn co --password {word} https://h/r
twine upload -u __token__ -p {b62 20} dist/x
poetry config pypi-token.pypi {b62 24}
poetry config http-basic.h ada {word}
cargo login {b62 32}
npm config set //r.example.com/:_authToken {b62 24}
fly secrets set STRIPE={word}
flyctl secrets set A={pw} B={word}
heroku config:set A_KEY={word}
netlify env:set A_KEY {word}
railway variables --set A_KEY={word}
doppler secrets set A={word}
az login --service-principal -u x -p {word} --tenant t
az keyvault secret set --vault-name v --name n --value {word}
az storage blob list --account-key {std 40}
aws secretsmanager create-secret --name n --secret-string {word}
aws ssm put-parameter --name n --type SecureString --value {word}
gitlab-runner register --url h -r {b62 20}
ngrok config add-authtoken {b62 30}
pulumi config set --secret db {word}
echo {word} | sudo -S apt update
echo {word} | docker login -u ada --password-stdin
echo ada:{word} | chpasswd
useradd -m -p {word} ada
net user ada {pw} /add
keytool -list -keystore k -storepass {word}
jarsigner -storepass {word} -keypass {pw} a.jar
gpg --batch --passphrase {word} -c f
qpdf --password={word} --decrypt a b
pdftk a.pdf input_pw {word} output b.pdf
xfreerdp /u:ada /p:{word} /v:h
ipmitool -H h -U admin -P {word} chassis status
snmpwalk -v3 -u ada -A {word} -X {pw} h
wpa_passphrase home {word}
nmcli dev wifi connect home password {word}
mosquitto_pub -h h -u ada -P {word} -t t -m m
cqlsh -u ada -p {word} h
clickhouse-client --user ada --password {word}
sqlplus ada/{pw}@db
lftp -u ada,{pw} sftp://h
mc alias set s3 https://h AKID {b62 40}
influx query --token {b62 30} q
tailscale up --authkey {b62 30}
wget --http-password={word} https://h
terraform apply -var db_password={word}
ansible all -e ansible_become_pass={word}
git -c http.extraheader="AUTHORIZATION: basic {b62 24}" fetch
psql "host=db user=app password={word}"
mongo --password {word}
http -a user:{pw} x
skopeo copy --src-creds u:{pw} a b
oc login -u x -p {pw}
gh auth login --with-token <<< {b62 20}
yarn config set npmAuthToken {b62 20}
gem push --key {b62 20}
netlify deploy --auth {b62 20}
netlify deploy --auth={b62 20}
vercel env add X <<< {pw}
wrangler secret put X <<< {pw}
ncftpput -u x -p {pw} h
rdesktop -u x -p {pw} y
security add-generic-password -a x -s y -w {pw}
security unlock-keychain -p {pw} x
bw unlock {pw}
bw login u {pw}
rclone config create x s3 secret_access_key {b62 20}
impdp u/{pw} x
mqtt pub -pw {pw}
passwd --stdin x <<< {pw}
cryptsetup luksOpen x y <<< {pw}
codecov -t {b62 20}
sonar-scanner -Dsonar.login={hex 40}
dotnet nuget push x -k {b62 20}
nuget setapikey {b62 20}
xcrun altool -u x -p {pw}
signtool sign /p {pw} x
doctl auth init -t {b62 20}
wandb login {hex 40}
llm keys set openai --value {b62 20}
SSHPASS={word} sshpass -e ssh x
`},
	"JSON": {func(s string) string { return string(JSON(nil, []byte(s))) }, `
{"pass":"{word}"}
{"pwd":"{word}"}
{"db_pass":"{word}"}
{"dbPwd":"{word}"}
{"masterKey":"{word}"}
{"secret_key":"{word}"}
{"smtp":{"pass":"{word}"}}
{"key":"DB_PASSWORD","value":"{word}"}
{"name":"api_token","type":"string","value":"{word}"}
{"Name":"DB_PASS","Value":"{word}"}
{"vars":[{"key":"masterkey","value":"{word}"}]}
{"command":"docker","args":["login","-u","ada","-p","{word}"]}
{"command":["mongosh","-u","ada","-p","{word}"]}
{"command":"docker login -p {word} h"}
{"command":"7z","args":["a","-p{word}","o.7z"]}
{"command":"curl","args":["-b","sid={word}","https://h/"]}
{"command":["bash","-lc","redis-cli -a {word} ping"]}
{"text":"{\"password\":\"{b62 12}\"}"}
{"text":"{\\\"password\\\":\\\"{b62 12}\\\"}"}
{"text":"<password>{word}</password>"}
{"rawInput":{"config":{"psk":"{word}"}}}
`},
}

// invent replaces the {…} of a line and returns the secrets.
func (f secretMaker) invent(line string) (text string, secrets []string) {
	alphabets := map[string]string{"b62": base62, "hex": hexes, "low": digits + lowers, "std": standard}
	for {
		before, rest, found := strings.Cut(line, "{")
		if !found {
			return text + line, secrets
		}
		spec, after, _ := strings.Cut(rest, "}")
		name, n, _ := strings.Cut(spec, " ")
		size, _ := strconv.Atoi(n)
		var secret string
		switch alphabet := alphabets[name]; {
		case name == "pw":
			secret = "tr" + f.of(digits, 1) + "ub" + f.of(digits, 1) + f.of(lowers, 5)
		case name == "word":
			secret = f.of(lowers, 10)
		case alphabet != "" && size > 0:
			secret = f.of(alphabet, size)
		default: // a brace of the text
			text, line = text+before+"{", rest
			continue
		}
		if name == "pw" || name == "word" || size >= 8 { // shorter ones are parts of a longer one
			secrets = append(secrets, secret)
		}
		text, line = text+before+secret, after
	}
}

func TestSpelledSecrets(t *testing.T) {
	rows, missed := 0, 0
	for kind, table := range spelledSecrets {
		for line := range strings.Lines(strings.TrimSpace(table.lines)) {
			rows++
			for seed := range uint64(50) {
				text, secrets := secretMaker{rand.New(rand.NewPCG(7, seed))}.invent(strings.TrimSpace(line))
				for _, secret := range secrets {
					if out := table.redact(text); strings.Contains(out, secret) {
						missed++
						t.Errorf("%s: %q is left in %q", kind, secret, out)
					}
				}
			}
		}
	}
	t.Logf("%d of %d", missed, rows)
	if rows < 200 {
		t.Errorf("only %d rows", rows)
	}
}
