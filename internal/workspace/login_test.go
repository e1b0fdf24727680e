package workspace_test

const (
	logins  = `,"authMethods":[{"id":"own","name":"Own login"}]`
	logins2 = `,"authMethods":[{"methodId":"own","name":"Own login","type":"agent"}]`
)
